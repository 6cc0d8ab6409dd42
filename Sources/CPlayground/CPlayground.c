#include "CPlayground.h"
