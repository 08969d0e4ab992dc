/* registers.cuh - lists of registers in inline PTX.
 *
 * A kernel of this folder executes an instruction in one asm block that declares its registers
 * itself, loads them, executes, and stores, so that C++ sees only addresses. What stands in the
 * block is put together out of string literals by the macros below. With the count 4:
 *
 *     REGISTERS(4, 32, "d")    .reg .b32 d<4>;
 *     LOAD(4, 32, "d", "%0")   ld.b32 d0, [%0+0*32/8]; ld.b32 d1, [%0+1*32/8]; ... of d2 and d3
 *     LIST(4, "d")             {d0, d1, d2, d3}
 *     STORE(4, 32, "d", "%0")  st.b32 [%0+0*32/8], d0; st.b32 [%0+1*32/8], d1; ...
 *
 * .b32 is compatible with every type of 32 bits, .b64 with .f64 (PTX ISA 9.0, section 5.2.1). */
#ifndef REGISTERS_CUH
#define REGISTERS_CUH

#define REGISTERS(count, bits, name) ".reg .b" #bits " " name "<" #count ">; "
#define LIST(count, name) "{" EACH_##count(NAME_FIRST, NAME_NEXT, 0, name, "") "}"
#define LOAD(count, bits, name, address) EACH_##count(LOAD_ONE, LOAD_ONE, bits, name, address)
#define STORE(count, bits, name, address) EACH_##count(STORE_ONE, STORE_ONE, bits, name, address)

#define NAME_FIRST(n, bits, name, address) name #n
#define NAME_NEXT(n, bits, name, address) ", " name #n
#define LOAD_ONE(n, bits, name, address)                                                           \
    "ld.b" #bits " " name #n ", [" address "+" #n "*" #bits "/8]; "
#define STORE_ONE(n, bits, name, address)                                                          \
    "st.b" #bits " [" address "+" #n "*" #bits "/8], " name #n "; "

/* EACH_3(F, G, x) would be F(0, x) G(1, x) G(2, x). There is one for each count that an operand
 * has: of wgmma's D every even one up to 64, and every fourth up to 128. */
#define EACH_1(F, G, ...) F(0, __VA_ARGS__)
#define EACH_2(F, G, ...) EACH_1(F, G, __VA_ARGS__) G(1, __VA_ARGS__)
#define EACH_4(F, G, ...) EACH_2(F, G, __VA_ARGS__) G(2, __VA_ARGS__) G(3, __VA_ARGS__)
#define EACH_6(F, G, ...) EACH_4(F, G, __VA_ARGS__) G(4, __VA_ARGS__) G(5, __VA_ARGS__)
#define EACH_8(F, G, ...) EACH_6(F, G, __VA_ARGS__) G(6, __VA_ARGS__) G(7, __VA_ARGS__)
#define EACH_10(F, G, ...) EACH_8(F, G, __VA_ARGS__) G(8, __VA_ARGS__) G(9, __VA_ARGS__)
#define EACH_12(F, G, ...) EACH_10(F, G, __VA_ARGS__) G(10, __VA_ARGS__) G(11, __VA_ARGS__)
#define EACH_14(F, G, ...) EACH_12(F, G, __VA_ARGS__) G(12, __VA_ARGS__) G(13, __VA_ARGS__)
#define EACH_16(F, G, ...) EACH_14(F, G, __VA_ARGS__) G(14, __VA_ARGS__) G(15, __VA_ARGS__)
#define EACH_18(F, G, ...) EACH_16(F, G, __VA_ARGS__) G(16, __VA_ARGS__) G(17, __VA_ARGS__)
#define EACH_20(F, G, ...) EACH_18(F, G, __VA_ARGS__) G(18, __VA_ARGS__) G(19, __VA_ARGS__)
#define EACH_22(F, G, ...) EACH_20(F, G, __VA_ARGS__) G(20, __VA_ARGS__) G(21, __VA_ARGS__)
#define EACH_24(F, G, ...) EACH_22(F, G, __VA_ARGS__) G(22, __VA_ARGS__) G(23, __VA_ARGS__)
#define EACH_26(F, G, ...) EACH_24(F, G, __VA_ARGS__) G(24, __VA_ARGS__) G(25, __VA_ARGS__)
#define EACH_28(F, G, ...) EACH_26(F, G, __VA_ARGS__) G(26, __VA_ARGS__) G(27, __VA_ARGS__)
#define EACH_30(F, G, ...) EACH_28(F, G, __VA_ARGS__) G(28, __VA_ARGS__) G(29, __VA_ARGS__)
#define EACH_32(F, G, ...) EACH_30(F, G, __VA_ARGS__) G(30, __VA_ARGS__) G(31, __VA_ARGS__)
#define EACH_34(F, G, ...) EACH_32(F, G, __VA_ARGS__) G(32, __VA_ARGS__) G(33, __VA_ARGS__)
#define EACH_36(F, G, ...) EACH_34(F, G, __VA_ARGS__) G(34, __VA_ARGS__) G(35, __VA_ARGS__)
#define EACH_38(F, G, ...) EACH_36(F, G, __VA_ARGS__) G(36, __VA_ARGS__) G(37, __VA_ARGS__)
#define EACH_40(F, G, ...) EACH_38(F, G, __VA_ARGS__) G(38, __VA_ARGS__) G(39, __VA_ARGS__)
#define EACH_42(F, G, ...) EACH_40(F, G, __VA_ARGS__) G(40, __VA_ARGS__) G(41, __VA_ARGS__)
#define EACH_44(F, G, ...) EACH_42(F, G, __VA_ARGS__) G(42, __VA_ARGS__) G(43, __VA_ARGS__)
#define EACH_46(F, G, ...) EACH_44(F, G, __VA_ARGS__) G(44, __VA_ARGS__) G(45, __VA_ARGS__)
#define EACH_48(F, G, ...) EACH_46(F, G, __VA_ARGS__) G(46, __VA_ARGS__) G(47, __VA_ARGS__)
#define EACH_50(F, G, ...) EACH_48(F, G, __VA_ARGS__) G(48, __VA_ARGS__) G(49, __VA_ARGS__)
#define EACH_52(F, G, ...) EACH_50(F, G, __VA_ARGS__) G(50, __VA_ARGS__) G(51, __VA_ARGS__)
#define EACH_54(F, G, ...) EACH_52(F, G, __VA_ARGS__) G(52, __VA_ARGS__) G(53, __VA_ARGS__)
#define EACH_56(F, G, ...) EACH_54(F, G, __VA_ARGS__) G(54, __VA_ARGS__) G(55, __VA_ARGS__)
#define EACH_58(F, G, ...) EACH_56(F, G, __VA_ARGS__) G(56, __VA_ARGS__) G(57, __VA_ARGS__)
#define EACH_60(F, G, ...) EACH_58(F, G, __VA_ARGS__) G(58, __VA_ARGS__) G(59, __VA_ARGS__)
#define EACH_62(F, G, ...) EACH_60(F, G, __VA_ARGS__) G(60, __VA_ARGS__) G(61, __VA_ARGS__)
#define EACH_64(F, G, ...) EACH_62(F, G, __VA_ARGS__) G(62, __VA_ARGS__) G(63, __VA_ARGS__)
#define EACH_68(F, G, ...)                                                                         \
    EACH_64(F, G, __VA_ARGS__)                                                                     \
    G(64, __VA_ARGS__) G(65, __VA_ARGS__) G(66, __VA_ARGS__) G(67, __VA_ARGS__)
#define EACH_72(F, G, ...)                                                                         \
    EACH_68(F, G, __VA_ARGS__)                                                                     \
    G(68, __VA_ARGS__) G(69, __VA_ARGS__) G(70, __VA_ARGS__) G(71, __VA_ARGS__)
#define EACH_76(F, G, ...)                                                                         \
    EACH_72(F, G, __VA_ARGS__)                                                                     \
    G(72, __VA_ARGS__) G(73, __VA_ARGS__) G(74, __VA_ARGS__) G(75, __VA_ARGS__)
#define EACH_80(F, G, ...)                                                                         \
    EACH_76(F, G, __VA_ARGS__)                                                                     \
    G(76, __VA_ARGS__) G(77, __VA_ARGS__) G(78, __VA_ARGS__) G(79, __VA_ARGS__)
#define EACH_84(F, G, ...)                                                                         \
    EACH_80(F, G, __VA_ARGS__)                                                                     \
    G(80, __VA_ARGS__) G(81, __VA_ARGS__) G(82, __VA_ARGS__) G(83, __VA_ARGS__)
#define EACH_88(F, G, ...)                                                                         \
    EACH_84(F, G, __VA_ARGS__)                                                                     \
    G(84, __VA_ARGS__) G(85, __VA_ARGS__) G(86, __VA_ARGS__) G(87, __VA_ARGS__)
#define EACH_92(F, G, ...)                                                                         \
    EACH_88(F, G, __VA_ARGS__)                                                                     \
    G(88, __VA_ARGS__) G(89, __VA_ARGS__) G(90, __VA_ARGS__) G(91, __VA_ARGS__)
#define EACH_96(F, G, ...)                                                                         \
    EACH_92(F, G, __VA_ARGS__)                                                                     \
    G(92, __VA_ARGS__) G(93, __VA_ARGS__) G(94, __VA_ARGS__) G(95, __VA_ARGS__)
#define EACH_100(F, G, ...)                                                                        \
    EACH_96(F, G, __VA_ARGS__)                                                                     \
    G(96, __VA_ARGS__) G(97, __VA_ARGS__) G(98, __VA_ARGS__) G(99, __VA_ARGS__)
#define EACH_104(F, G, ...)                                                                        \
    EACH_100(F, G, __VA_ARGS__)                                                                    \
    G(100, __VA_ARGS__) G(101, __VA_ARGS__) G(102, __VA_ARGS__) G(103, __VA_ARGS__)
#define EACH_108(F, G, ...)                                                                        \
    EACH_104(F, G, __VA_ARGS__)                                                                    \
    G(104, __VA_ARGS__) G(105, __VA_ARGS__) G(106, __VA_ARGS__) G(107, __VA_ARGS__)
#define EACH_112(F, G, ...)                                                                        \
    EACH_108(F, G, __VA_ARGS__)                                                                    \
    G(108, __VA_ARGS__) G(109, __VA_ARGS__) G(110, __VA_ARGS__) G(111, __VA_ARGS__)
#define EACH_116(F, G, ...)                                                                        \
    EACH_112(F, G, __VA_ARGS__)                                                                    \
    G(112, __VA_ARGS__) G(113, __VA_ARGS__) G(114, __VA_ARGS__) G(115, __VA_ARGS__)
#define EACH_120(F, G, ...)                                                                        \
    EACH_116(F, G, __VA_ARGS__)                                                                    \
    G(116, __VA_ARGS__) G(117, __VA_ARGS__) G(118, __VA_ARGS__) G(119, __VA_ARGS__)
#define EACH_124(F, G, ...)                                                                        \
    EACH_120(F, G, __VA_ARGS__)                                                                    \
    G(120, __VA_ARGS__) G(121, __VA_ARGS__) G(122, __VA_ARGS__) G(123, __VA_ARGS__)
#define EACH_128(F, G, ...)                                                                        \
    EACH_124(F, G, __VA_ARGS__)                                                                    \
    G(124, __VA_ARGS__) G(125, __VA_ARGS__) G(126, __VA_ARGS__) G(127, __VA_ARGS__)

#endif
