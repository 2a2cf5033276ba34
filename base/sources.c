#include "base/sources.h"
#include "base/digest.h"
#include "base/text.h"
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

static int64_t system_wall_us(void *user)
{
        struct timespec now;

        (void)user;
        clock_gettime(CLOCK_REALTIME, &now);
        return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* CLOCK_BOOTTIME goes on through a suspend, which a lease must see, and never steps. */
static int64_t system_boot_ms(void *user)
{
        struct timespec now;

        (void)user;
        clock_gettime(CLOCK_BOOTTIME, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Random, as RFC 9562 has it. The kernel gives so few bytes whole, once it has any. */
static void system_uuid(char out[37], void *user)
{
        unsigned char id[16];
        char hex[33];

        (void)user;
        while (getrandom(id, sizeof id, 0) != sizeof id)
                ; /* interrupted before it had */
        id[6] = (id[6] & 0x0f) | 0x40;
        id[8] = (id[8] & 0x3f) | 0x80;
        pawl__hex(hex, id, sizeof id);
        snprintf(out, 37, "%.8s-%.4s-%.4s-%.4s-%s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

int64_t pawl__monotonic_us(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

pawl_sources pawl__sources_complete(const pawl_sources *given)
{
        pawl_sources sources = given ? *given : (pawl_sources){NULL, NULL, NULL, NULL};

        if (!sources.wall_us)
                sources.wall_us = system_wall_us;
        if (!sources.boot_ms)
                sources.boot_ms = system_boot_ms;
        if (!sources.uuid)
                sources.uuid = system_uuid;
        return sources;
}

enum { US = 1000000, DAY = 86400 };

/* Days since 1970-01-01 of a civil date and back, by the Gregorian calendar with years that start
 * in March (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). No locale, no time zone. */
static int64_t days_from_civil(int64_t y, int m, int d)
{
        y -= m <= 2;
        int64_t era = (y >= 0 ? y : y - 399) / 400;
        int64_t yoe = y - era * 400;
        int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
        int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
        return era * 146097 + doe - 719468;
}

static void civil_from_days(int64_t z, int *y, int *m, int *d)
{
        z += 719468;
        int64_t era = (z >= 0 ? z : z - 146096) / 146097;
        int64_t doe = z - era * 146097;
        int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
        int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        int64_t mp = (5 * doy + 2) / 153;
        *d = (int)(doy - (153 * mp + 2) / 5 + 1);
        *m = (int)(mp < 10 ? mp + 3 : mp - 9);
        *y = (int)(yoe + era * 400 + (*m <= 2));
}

static void put(char *out, int digits, int64_t value)
{
        while (digits-- > 0) {
                out[digits] = (char)('0' + value % 10);
                value /= 10;
        }
}

void pawl__time_format(char out[28], int64_t wall_us)
{
        const int64_t first = days_from_civil(1, 1, 1) * DAY * US;
        const int64_t last = days_from_civil(10000, 1, 1) * DAY * US - 1;

        if (wall_us < first)
                wall_us = first;
        if (wall_us > last)
                wall_us = last;
        int64_t seconds = wall_us / US, us = wall_us % US;
        if (us < 0) {
                us += US;
                seconds--;
        }
        int64_t days = seconds / DAY, rest = seconds % DAY;
        if (rest < 0) {
                rest += DAY;
                days--;
        }
        int y, m, d;
        civil_from_days(days, &y, &m, &d);
        memcpy(out, "0000-00-00T00:00:00.000000Z", 28);
        put(out, 4, y);
        put(out + 5, 2, m);
        put(out + 8, 2, d);
        put(out + 11, 2, rest / 3600);
        put(out + 14, 2, rest / 60 % 60);
        put(out + 17, 2, rest % 60);
        put(out + 20, 6, us);
}

static bool get(const char *p, int digits, int64_t *out)
{
        *out = 0;
        for (int i = 0; i < digits; i++) {
                if (p[i] < '0' || p[i] > '9')
                        return false;
                *out = *out * 10 + (p[i] - '0');
        }
        return true;
}

bool pawl__time_parse(int64_t *wall_us, pawl_text text)
{
        int64_t y, m, d, hour, minute, second, us;
        const char *p = text.data;
        char back[28];

        if (!p || text.len != 27 || !get(p, 4, &y) || !get(p + 5, 2, &m) || !get(p + 8, 2, &d) ||
                !get(p + 11, 2, &hour) || !get(p + 14, 2, &minute) || !get(p + 17, 2, &second) ||
                !get(p + 20, 6, &us) || m < 1 || m > 12)
                return false;
        int64_t value =
                ((days_from_civil(y, (int)m, (int)d) * 24 + hour) * 60 + minute) * 60 + second;
        value = value * US + us;
        pawl__time_format(back, value); /* punctuation, ranges and leap days in one comparison */
        if (memcmp(back, p, 27) != 0)
                return false;
        *wall_us = value;
        return true;
}

bool pawl__uuid_valid(pawl_text text)
{
        if (!text.data || text.len != 36)
                return false;
        for (size_t i = 0; i < 36; i++) {
                char c = text.data[i];
                bool dash = i == 8 || i == 13 || i == 18 || i == 23;
                if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
                        return false;
        }
        return true;
}
