/* Words for prompts of servers that take no token ids: short and common, so that each is
 * one token of nearly every vocabulary. */
#ifndef TOKTRACE_PROMPT_WORDS_H
#define TOKTRACE_PROMPT_WORDS_H

enum { PROMPT_WORD_COUNT = 256, PROMPT_WORD_MAX = 8 };

/* Letters only, at most PROMPT_WORD_MAX, all different. */
extern const char *const prompt_words[PROMPT_WORD_COUNT];

#endif
