/* A source file. */
#include <stdio.h>

int f0(int x)
{
    if (x > 0)
        return x;

    return f1(x + 1);
}

int f1(int x)
{
    if (x > 1)
        return x;

    return f2(x + 1);
}

int f2(int x)
{
    if (x > 2)
        return x;

    return f3(x + 1);
}

int f3(int x)
{
    if (x > 3)
        return x;

    return f4(x + 1);
}

int f4(int x)
{
    if (x > 4)
        return x;

    return f5(x + 1);
}

int f5(int x)
{
    if (x > 5)
        return x;

    return f6(x + 1);
}

int f6(int x)
{
    if (x > 6)
        return x;

    return f7(x + 1);
}

int f7(int x)
{
    if (x > 7)
        return x;

    return f8(x + 1);
}

int f8(int x)
{
    if (x > 8)
        return x;

    return f9(x + 1);
}

int f9(int x)
{
    if (x > 9)
        return x;

    return f10(x + 1);
}

int f10(int x)
{
    if (x > 10)
        return x;

    return f11(x + 1);
}

int f11(int x)
{
    if (x > 11)
        return x;

    return f12(x + 1);
}

int f12(int x)
{
    if (x > 12)
        return x;

    return f13(x + 1);
}

int f13(int x)
{
    if (x > 13)
        return x;

    return f14(x + 1);
}

int f14(int x)
{
    if (x > 14)
        return x;

    return f15(x + 1);
}

int f15(int x)
{
    if (x > 15)
        return x;

    return f16(x + 1);
}

int f16(int x)
{
    if (x > 16)
        return x;

    return f17(x + 1);
}

int f17(int x)
{
    if (x > 17)
        return x;

    return f18(x + 1);
}

int f18(int x)
{
    if (x > 18)
        return x;

    return f19(x + 1);
}

int f19(int x)
{
    if (x > 19)
        return x;

    return f20(x + 1);
}

int f20(int x)
{
    if (x > 20)
        return x;

    return f21(x + 1);
}

int f21(int x)
{
    if (x > 21)
        return x;

    return f22(x + 1);
}

int f22(int x)
{
    if (x > 22)
        return x;

    return f23(x + 1);
}

int f23(int x)
{
    if (x > 23)
        return x;

    return f24(x + 1);
}

int f24(int x)
{
    if (x > 24)
        return x;

    return f25(x + 1);
}

int f25(int x)
{
    if (x > 25)
        return x;

    return f26(x + 1);
}

int f26(int x)
{
    if (x > 26)
        return x;

    return f27(x + 1);
}

int f27(int x)
{
    if (x > 27)
        return x;

    return f28(x + 1);
}

int f28(int x)
{
    if (x > 28)
        return x;

    return f29(x + 1);
}

int f29(int x)
{
    if (x > 29)
        return x;

    return f30(x + 1);
}

int f30(int x)
{
    if (x > 30)
        return x;

    return f31(x + 1);
}

int f31(int x)
{
    if (x > 31)
        return x;

    return f32(x + 1);
}

int f32(int x)
{
    if (x > 32)
        return x;

    return f33(x + 1);
}

int f33(int x)
{
    if (x > 33)
        return x;

    return f34(x + 1);
}

int f34(int x)
{
    if (x > 34)
        return x;

    return f35(x + 1);
}

int f35(int x)
{
    if (x > 35)
        return x;

    return f36(x + 1);
}

int f36(int x)
{
    if (x > 36)
        return x;

    return f37(x + 1);
}

int f37(int x)
{
    if (x > 37)
        return x;

    return f38(x + 1);
}

int f38(int x)
{
    if (x > 38)
        return x;

    return f39(x + 1);
}

int f39(int x)
{
    if (x > 39)
        return x;

    return f40(x + 1);
}

int f40(int x)
{
    if (x > 40)
        return x;

    return f41(x + 1);
}

int f41(int x)
{
    if (x > 41)
        return x;

    return f42(x + 1);
}

int f42(int x)
{
    if (x > 42)
        return x;

    return f43(x + 1);
}

int f43(int x)
{
    if (x > 43)
        return x;

    return f44(x + 1);
}

int f44(int x)
{
    if (x > 44)
        return x;

    return f45(x + 1);
}

int f45(int x)
{
    if (x > 45)
        return x;

    return f46(x + 1);
}

int f46(int x)
{
    if (x > 46)
        return x;

    return f47(x + 1);
}

int f47(int x)
{
    if (x > 47)
        return x;

    return f48(x + 1);
}

int f48(int x)
{
    if (x > 48)
        return x;

    return f49(x + 1);
}

int f49(int x)
{
    if (x > 49)
        return x;

    return f50(x + 1);
}

int f50(int x)
{
    if (x > 50)
        return x;

    return f51(x + 1);
}

int f51(int x)
{
    if (x > 51)
        return x;

    return f52(x + 1);
}

int f52(int x)
{
    if (x > 52)
        return x;

    return f53(x + 1);
}

int f53(int x)
{
    if (x > 53)
        return x;

    return f54(x + 1);
}

int f54(int x)
{
    if (x > 54)
        return x;

    return f55(x + 1);
}

int f55(int x)
{
    if (x > 55)
        return x;

    return f56(x + 1);
}

int f56(int x)
{
    if (x > 56)
        return x;

    return f57(x + 1);
}

int f57(int x)
{
    if (x > 57)
        return x;

    return f58(x + 1);
}

int f58(int x)
{
    if (x > 58)
        return x;

    return f59(x + 1);
}

int f59(int x)
{
    if (x > 59)
        return x;

    return f60(x + 1);
}
