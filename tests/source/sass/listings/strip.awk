# Strips a listing of nvdisasm to the parts that the program reads: its head, the code of kernels, and the attribute
# the one that has the offset of the parameters.  awk -f strip.awk LISTING
/^\/\/---/ { is_code = $2 ~ /^\.text\./; is_kept = is_code || $2 ~ /^\.nv\.info\./ || !$2; next }
NR == 1 { is_kept = 1 }
/nvinfo : EIATTR_/ { is_kept = /EIATTR_PARAM_CBANK/ }
/^[ \t]*(\.align|\.sectionflags|\.L_[0-9]*:|\/\*[0-9a-f]*\*\/[ \t]*\.(byte|word))/ && !is_code || NF == 0 { next }
is_kept || /^[ \t]*\.section[ \t]/
