"""Equations of the paper that pages are about, in LaTeX."""

HEAD = (
    r"\hat H_t(x)=\hat F\Big(\sum_{s=1}^{\tau}\operatorname{softmax}"
    r"\big[(W_Q\hat f(x_t))^{\top}W_K\hat f(x_{\cdot})\big](s)\;W_V\hat f(x_s)\Big)"
)
"""One head, Eq. 5."""
TARGET = (
    r"H_t(x)=F\Big(\sum_{s=1}^{\tau}\operatorname{softmax}[\rho(x_t,x_{\cdot})](s)\,f(x_s)\Big)"
)
"""What it is to learn, Eq. 8."""
RATE = (
    r"\inf\|H-\hat H\|\le\tau^2C_0\Big(\frac{C_1}{m_h^{2\alpha-1}}"
    r"+\frac{C_2\,m_h^{\beta+1}}{m_{FF}^{\beta}}\Big)"
)
"""Theorem 4.1, Eq. 17."""
KERNEL = r"H_t(x)=\sum_{s=0}^{t}\rho(s)\,x_{t-s}"
"""A linear target of Section 6."""
