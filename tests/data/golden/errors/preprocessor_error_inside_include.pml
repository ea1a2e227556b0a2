#include "broken_channel.h"

active proctype sender() {
    link ! 1
}
