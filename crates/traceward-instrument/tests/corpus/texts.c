/* Texts: in arrays and behind pointers. */
#include <stdio.h>
#include <string.h>

char name[16] = "init";
const char *mode = "off";
char *nothing;

int main(void)
{
    char local[8] = "a\"b\\";
    strcpy(name, "start");
    name[0] = 'S';
    strcat(name, "ed\n");
    snprintf(name, sizeof name, "%d", 12345);
    mode = "on";
    mode = strlen(name) > 3 ? "long" : "short";
    mode = NULL;
    mode = "\xc3\xa9\xff";
    local[1] = 0;
    nothing = name + 1;
    printf("%s %s %s\n", name, local, nothing);
    return 0;
}
