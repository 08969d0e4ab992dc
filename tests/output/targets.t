#!/bin/sh
# Which targets ptxas takes a fragment for: sm_90a for wgmma, sm_100a or sm_100f for tcgen05, sm_100a alone for its
# kind::i8 (PTX ISA 9.1, the Target ISA Notes of these instructions; tests/catalogue/opcodes.t asks ptxas itself).
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
marked() { sed -n 's/^# ptxas takes it for //p' "$folder/out" | tr '\n' ';'; }
mark_is() { is "$status $(marked)" "0 $1"; }
targets_are() { is "$status $(sed -n 's/.*"targets":\(\[[^]]*\]\).*/\1/p' "$folder/out")" "0 $1"; }

# ---- What was asked for without the suffix that is wanted is marked ----

while IFS=: read -r fragment arch mark; do
    run "--arch=$arch" --brief "$fragment"
    ok "$fragment for $arch" mark_is "$mark"
done << 'END'
wgmma.m64n8k16.d.f32:sm_90:sm_90a, not for sm_90;
wgmma.m64n8k16.d.f32:9.0:sm_90a, not for sm_90;
wgmma.m64n8k16.d.f32:sm_90a:
wgmma.m64n8k16.d.f32:hopper:
tcgen05.ld.16x64b.x4.r.b32:sm_100:sm_100a or sm_100f, not for sm_100;
tcgen05.ld.16x64b.x4.r.b32:110:sm_110a or sm_110f, not for sm_110;
tcgen05.ld.16x64b.x4.r.b32:SM_100A:
tcgen05.ld.16x64b.x4.r.b32:sm_100f:
tcgen05.ld.16x64b.x4.r.b32:b200:
tcgen05.mma.m128n16k32.d.s32:sm_100:sm_100a, not for sm_100;
tcgen05.mma.m128n16k32.d.s32:sm_110f:sm_110a, not for sm_110f;
tcgen05.mma.m128n16k32.d.s32:sm_110a:
tcgen05.mma.m128n16k32.d.f32:sm_100,sm_103a:sm_100a or sm_100f, not for sm_100;
ldmatrix.m8n16.x1.r.s4:sm_90:sm_90a, not for sm_90;
ldmatrix.m8n16.x1.r.s4:sm_90a:
ldmatrix.m8n16.x1.r.s4:sm_120:sm_120a or sm_120f, not for sm_120;
mma.m16n8k16.d.f32:sm_100:
END
run --brief tcgen05.ld.16x64b.x4.r.b32
ok 'nothing is marked where nobody asked for an architecture' mark_is ''
run --arch=all --brief tcgen05.ld.16x64b.x4.r.b32
ok 'or for all' mark_is ''
run --arch=sm_90 --thread=5 wgmma.m64n8k16.d.f32
ok 'an answer is marked too' mark_is 'sm_90a, not for sm_90;'
run --arch=sm_100 --brief tcgen05.ld.sync.aligned.16x64b.x4.b32
ok 'so is what is asked for by its opcode' mark_is 'sm_100a or sm_100f, not for sm_100;'

# ---- As JSON ----

run --arch=sm_100 --brief --format=json tcgen05.ld.16x64b.x4.r.b32
ok 'JSON has the targets' targets_are '["sm_100a","sm_100f"]'
run --arch=sm_100a --brief --format=json tcgen05.ld.16x64b.x4.r.b32
ok 'and nothing where one of them was asked for' targets_are ''
run --arch=sm_110f --brief --format=json tcgen05.mma.m128n16k32.d.s32
ok 'the one that there is' targets_are '["sm_110a"]'
run --arch=sm_90a --detail --brief --format=json wgmma.m64n8k16.d.f32
ok 'details have them in any case' targets_are '["sm_90a"]'
run --list --format=json tcgen05.mma.m128n16k32.d.s32
ok 'a list has those of all architectures, of which sm_103 has no kind::i8' targets_are '["sm_100a","sm_110a"]'
run --list --format=json mma.m16n8k16.d.f32
ok 'and nothing where any target will do' targets_are ''

# ---- As text and tables ----

run --arch=sm_103a --detail --brief tcgen05.ld.16x64b.x4.r.b32
ok 'details' is "$(sed -n 's/^targets  *//p' "$folder/out")" 'sm_103a, sm_103f'
run --arch=sm_100 --detail --brief mma.m16n8k16.d.f32
ok 'of what any target has' is "$(count '^targets')" 0
run --list wgmma.m64n8k16.d.f32
ok 'a list of wgmma' is "$(line | awk '{ print $3 }')" sm_90a
run --list tcgen05.ld.16x64b.x4.r.b32
ok 'of tcgen05' is "$(line | awk '{ print $3 }')" 'sm_100a|f'
run --list ldmatrix.m8n16.x1.r.s4
ok 'of what sm_90a has, and later families' is "$(line | awk '{ print $3 }')" 'sm_90a+'
run --list --format=csv ldmatrix.m8n16.x1.r.s4
ok 'there is no sm_90f' is "$(awk -F, 'END { print $(NF - 2) }' "$folder/out")" \
    'sm_90a sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f'
run --list mma.m16n8k16.d.f32
ok 'of mma' is "$(line | awk '{ print $3 }')" sm_80+
listed_for() { # TARGET ARCH FRAGMENT
    run --list "--arch=$2" "$3"
    ok "a list for $2 alone has its own target: $3" is "$(line | awk '{ print $3 }')" "$1"
}
listed_for sm_110a thor tcgen05.mma.m128n16k32.d.s32
listed_for 'sm_103a|f' b300 tcgen05.ld.16x64b.x4.r.b32
listed_for sm_121a+ sm_121 mma.sp.m16n8k128.a.e2m1
listed_for sm_80+ sm_121 mma.m16n8k16.d.f32
run --list --format=csv wgmma.m64n8k16.d.f32 tcgen05.mma.m128n16k32.d.s32 mma.m16n8k16.d.f32
ok 'CSV' is "$(awk -F, '{ print $(NF - 2) }' "$folder/out" | tr '\n' ';')" 'targets;sm_90a;sm_100a sm_110a;;'
run --list --format=markdown wgmma.m64n8k16.d.f32 tcgen05.ld.16x64b.x4.r.b32
ok 'Markdown' is "$(sed -n 's/.* | \(sm_[^|]*\) |.*/\1/p' "$folder/out" | tr '\n' ';')" 'sm_90a;sm_100a or f;'

# ---- It belongs to the answer, not to what is recorded ----

run --confirm="$root/results/wgmma.txt" --source=isa
ok 'files of results have no such lines' is "$(count '^# ptxas takes')" 0
finish
