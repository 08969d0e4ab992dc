# Strips a listing of nvdisasm to the parts that the program reads: its head, the code of kernels, and the attribute
# with the offset of their parameters. Usage: awk -f strip.awk LISTING
BEGIN { is_kept = 1 }
/^\/\/---/ { is_kept = $2 ~ /^\.(text|nv\.info)\./ }
/nvinfo : EIATTR_/ { is_kept = /EIATTR_PARAM_CBANK/ }
is_kept
