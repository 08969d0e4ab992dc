# embedded.s - the parts of the page and of pictures that are files of their own. Paths are from the repository's root, where
# make runs.
    .section .rodata
    .global page_style
page_style:
    .incbin "src/output/page/page.css"
    .byte 0
    .global page_body
page_body:
    .incbin "src/output/page/page.html"
    .byte 0
    .global page_script
page_script:
    .incbin "src/output/page/layout.js"
    .incbin "src/output/page/grid.js"
    .incbin "src/output/page/info.js"
    .incbin "src/output/page/find.js"
    .incbin "src/output/page/page.js"
    .byte 0
    .global svg_style
svg_style:
    .incbin "src/output/picture/svg.css"
    .byte 0
    .global tikz_document
tikz_document:
    .incbin "src/output/picture/tikz.tex"
    .byte 0
    .section .note.GNU-stack, "", %progbits
