#include "race/shadow.h"

#include "explore/arena.h"

#include <string.h>

struct races *races;

static unsigned hashed(uintptr_t key) { return (unsigned)((key * 0x9E3779B97F4A7C15ULL) >> 32); }

static void more_pages(void)
{
    struct page **old = races->pages;
    unsigned slots = races->page_slots;
    races->page_slots = slots ? slots * 2 : 256;
    races->pages = arena_take(races->page_slots * sizeof *old);
    for (unsigned i = 0; i < slots; i++)
        if (old[i]) {
            unsigned at = hashed(old[i]->number);
            while (races->pages[at & (races->page_slots - 1)])
                at++;
            races->pages[at & (races->page_slots - 1)] = old[i];
        }
    arena_give(old, slots * sizeof *old);
}

struct page *shadow_known_page(uintptr_t number)
{
    if (races->last && races->last->number == number)
        return races->last;
    if (!races->page_slots)
        return NULL;
    for (unsigned at = hashed(number);; at++) {
        struct page *page = races->pages[at & (races->page_slots - 1)];
        if (!page || page->number == number)
            return page;
    }
}

static struct page *page_of(uintptr_t number)
{
    struct page *page = shadow_known_page(number);
    if (page)
        return page;
    if (races->page_count * 2 >= races->page_slots)
        more_pages();
    page = arena_take(sizeof *page);
    page->number = number;
    unsigned at = hashed(number);
    while (races->pages[at & (races->page_slots - 1)])
        at++;
    races->pages[at & (races->page_slots - 1)] = page;
    races->page_count++;
    return page;
}

struct page *shadow_named_page(uintptr_t seat) { return page_of(seat >> PAGE_BITS); }

struct guard *shadow_guard(uintptr_t address)
{
    return &page_of(address >> PAGE_BITS)->guards[shadow_guarded(address)];
}

struct leaving *shadow_leaving(uintptr_t address)
{
    return &page_of(address >> PAGE_BITS)->leavings[shadow_guarded(address)];
}

struct page *shadow_page(uintptr_t number)
{
    struct page *page = page_of(number);
    if (page->execution != races->execution) {
        page->execution = races->execution;
        page->stamp = ++races->stamps;
        memset(page->noted, 0, sizeof page->noted);
        GROW(races->touched, races->touched_room, races->touched_count + 1);
        races->touched[races->touched_count++] = page;
    }
    races->last = page;
    return page;
}

static void more_objects(void)
{
    struct object **old = races->objects;
    unsigned slots = races->object_slots;
    races->object_slots = slots ? slots * 2 : 256;
    races->objects = arena_take(races->object_slots * sizeof *old);
    for (unsigned i = 0; i < slots; i++)
        if (old[i]) {
            unsigned at = hashed(old[i]->address);
            while (races->objects[at & (races->object_slots - 1)])
                at++;
            races->objects[at & (races->object_slots - 1)] = old[i];
        }
    arena_give(old, slots * sizeof *old);
}

struct object *shadow_object(uintptr_t address)
{
    if (races->object_count * 2 >= races->object_slots)
        more_objects();
    unsigned at = hashed(address);
    struct object **slot;
    while (*(slot = &races->objects[at & (races->object_slots - 1)]) && (*slot)->address != address)
        at++;
    struct object *object = *slot;
    if (!object) {
        struct page *page = shadow_page(address >> PAGE_BITS);
        object = *slot = arena_take(sizeof *object);
        object->address = address;
        object->next = page->objects;
        page->objects = object;
        races->object_count++;
    }
    if (object->execution != races->execution) {
        object->execution = races->execution;
        memset(object->clock, 0, sizeof object->clock);
        GROW(races->used, races->used_room, races->used_count + 1);
        races->used[races->used_count++] = object;
    }
    return object;
}
