"""Screenshots of pages, for people to look at."""

import os

from pages import PHONE

PICTURES = [
    ("light", ("--arch=75", "wmma.m16n16k16.d.f32"), "#at=3,5", {}),
    ("dark", ("--arch=75", "wmma.m16n16k16.d.f32"), "#at=3,5", {"color_scheme": "dark"}),
    ("copies", ("--arch=70", "wmma.m16n16k16.a.row.f16"), "#at=3,5&part=1", {}),
    ("blocks", ("--arch=70", "mma.m8n8k4.a.col.f16"), "#at=3,1&part=2", {}),
    ("phone", ("--arch=75", "wmma.m16n16k16.d.f32"), "#at=3,5", PHONE),
    ("phone-start", ("--arch=90", "--all"), "", PHONE),
    ("phone-compare", ("--arch=70,75", "wmma.m16n16k16.d.f32"), "#compare=sm_75&at=3,5", PHONE),
    ("phone-dark-registers", ("--arch=80", "mma.m16n8k16.a.f16"), "#view=registers&at=3,5", {**PHONE, "color_scheme": "dark"}),
    ("compare", ("--arch=70,75", "wmma.m16n16k16.d.f32"), "#compare=sm_75&at=3,5", {}),
    ("compare-dark", ("--arch=70,75", "wmma.m16n16k16.d.f32"), "#compare=sm_75&view=registers", {"color_scheme": "dark"}),
    ("registers", ("--arch=80", "mma.m16n8k16.a.f16"), "#view=registers&at=3,5", {}),
    ("registers-thread", ("--arch=80", "mma.m16n8k16.a.f16"), "#view=registers&thread=13", {}),
    ("memory", ("Sw<3,3,3> o 0 o (16,64):(64,1)",), "#at=3,5", {}),
    ("addresses", ("Sw<3,3,3> o 0 o (16,64):(64,1)",), "#view=addresses&at=3,5", {}),
    ("largest", ("--arch=90", "--all"), "#fragment=wgmma.m64n256k16.d.f32&at=3,5", {}),
    ("message", ("--arch=90", "--all"), "#fragment=nothing", {}),
]


def take_pictures(browser, folder):
    os.makedirs(folder, exist_ok=True)
    for name, arguments, hash, options in PICTURES:
        page = browser.open(*arguments, hash=hash, **options)
        page.screenshot(path=os.path.join(folder, f"{name}.png"))
        browser.close()
