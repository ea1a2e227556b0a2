/* Talking with Python: one JSON object a line, and what Python asked for.
 *
 * All that was asked comes by one environment variable, ISOSPIN, as words `name=value` with blanks between:
 * mode=explore out=7 in=8 symmetry=1 max_depth=1000 ...  Messages go to the descriptor `out`, answers come from `in`.
 */
#ifndef ISOSPIN_MESSAGE_H
#define ISOSPIN_MESSAGE_H

#include "explore/contract.h"

/* Read what was asked and open the descriptors; `words` is the value of ISOSPIN, and is kept. */
void message_open(const char *words);
/* An option, up to the next blank; NULL if it is not there.  Valid until the next call. */
const char *option_text(const char *name);
long long option_number(const char *name, long long otherwise);
double option_real(const char *name, double otherwise);
bool option(const char *name); /* is there, and not 0 */

/* {"kind": KIND, ...}: begin, then its parts, then end, which writes the line at once. */
void message_begin(const char *kind);
void message_text(const char *name, const char *value);
void message_number(const char *name, long long value);
void message_real(const char *name, double value);
void message_list(const char *name); /* then message_item ..., then message_list_end */
void message_item(long long value);
void message_list_end(void);
void message_finding(const struct finding *finding); /* what, message, thread, pc, other, other_pc, address */
void message_end(void);

/* In a copy of the process: messages are kept, and nobody can be asked. */
void message_divert(void);
/* What was kept, and how long it is. */
const char *message_diverted(unsigned *size);
/* Whole messages that another process kept. */
void message_relay(const char *text, unsigned size);

/* The next line from Python, without its end; NULL: there is nobody any more.  Valid until the next call. */
const char *message_receive(void);

#endif
