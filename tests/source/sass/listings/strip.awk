# Leaves of a listing of nvdisasm what the program reads: its head, the code of kernels, and of their attributes only
# the one that has the offset of the parameters.  awk -f strip.awk LISTING
BEGIN { is_kept = 1 }
/^\/\/---/ { is_kept = $2 ~ /^\.(text|nv\.info)\./ }
/nvinfo : EIATTR_/ { is_kept = /EIATTR_PARAM_CBANK/ }
is_kept
