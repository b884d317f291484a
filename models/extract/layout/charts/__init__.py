"""Vector charts as tables: marks measured on printed axes, joined to labels by place and colour."""
