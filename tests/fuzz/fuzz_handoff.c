/*
 * Any bytes as a handoff document. What is refused says so on one line; what is read is text. Then
 * all of it is put into a document of the log's own, as steps, terms, files, summary and notes:
 * nothing of it passes for a heading there, and the notes are read back as they are.
 */
#include "base/printable.h"
#include "session/handoff_text.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
        if (!holds)
                abort();
}

static void check_entries(const pawl__handoff_text *text)
{
        for (size_t i = 0; i < text->n; i++) {
                pawl_text of = text->list[i].text;
                require(of.len > 0 && !memchr(of.data, '\0', of.len));
                require(pawl__utf8_valid(of.data, of.len));
                require(pawl__utf8_valid(text->list[i].heading.data, text->list[i].heading.len));
        }
}

/* What a note must look like when it is read back, white space apart. */
static void shown(pawl__buf *out, const pawl__note *note)
{
        pawl__buf lines = PAWL__BUF_INIT;

        require(!pawl__buf_adds(&lines, "(") && !pawl__printable(&lines, note->section) &&
                !pawl__buf_adds(&lines, ") "));
        for (size_t i = 0; i < note->text.len; i++) {
                size_t end = i;
                while (end < note->text.len && !strchr("\n\t", note->text.data[end]))
                        end++;
                require(!pawl__printable(&lines, pawl__text_n(note->text.data + i, end - i)) &&
                        !pawl__buf_addc(&lines, ' '));
                i = end;
        }
        pawl__collapse(out, pawl__buf_text(&lines));
        pawl__buf_free(&lines);
}

static void check_again(const pawl__handoff *h)
{
        static const bool all[PAWL__SECTIONS] = {
                false, true, true, true, true, true, true, true, true, false};
        pawl__buf printed = PAWL__BUF_INIT, expected = PAWL__BUF_INIT, got = PAWL__BUF_INIT;
        pawl__handoff_text again;
        size_t count[PAWL__SECTIONS] = {0};

        require(pawl__handoff_print(&printed, h, NULL) == PAWL_OK);
        require(pawl__handoff_read(&again, pawl__buf_text(&printed), NULL) == PAWL_OK);
        require(again.session_id.data != NULL);
        for (int s = 0; s < PAWL__SECTIONS; s++)
                require(again.present[s] == (all[s] && (s != PAWL__SECTION_NOTES || h->notes.n)));
        for (size_t i = 0; i < again.n; i++) {
                const pawl__handoff_entry *entry = &again.list[i];
                if (entry->section == PAWL__SECTION_NOTES) {
                        pawl__buf_clear(&expected);
                        pawl__buf_clear(&got);
                        require(count[entry->section] < h->notes.n);
                        shown(&expected, &h->notes.list[count[entry->section]]);
                        pawl__collapse(&got, entry->text);
                        require(pawl__text_eq(pawl__buf_text(&got), pawl__buf_text(&expected)));
                }
                count[entry->section]++;
        }
        require(count[PAWL__SECTION_TITLE] == 0 && count[PAWL__SECTION_OTHER] == 0);
        require(count[PAWL__SECTION_NOTES] == h->notes.n);
        pawl__handoff_text_free(&again);
        pawl__buf_free(&printed);
        pawl__buf_free(&expected);
        pawl__buf_free(&got);
}

/* A document in which every text is one of these. */
static void put_in_all_places(const pawl__handoff_text *text)
{
        pawl__handoff h = {.n_conflicts = text->n,
                .n_files = text->n,
                .has_run = text->n % 2,
                .named = text->n % 3 ? "" : " --db 'events.db'"};
        pawl__hand_step *steps = calloc(text->n + 1, sizeof *steps);
        pawl__row *conflicts = calloc(text->n + 1, sizeof *conflicts);
        pawl__row *rows = calloc(text->n + 1, sizeof *rows);
        pawl__answer_way *ways = calloc(text->n + 1, sizeof *ways);
        pawl_text *files = calloc(text->n + 1, sizeof *files);
        pawl__note *notes = calloc(text->n + 1, sizeof *notes);

        require(steps && conflicts && rows && ways && files && notes);
        for (size_t i = 0; i < text->n; i++) {
                pawl_text it = text->list[i].text;
                rows[i] = (pawl__row){.v = {[PAWL__STEP_ID].text = it,
                                              [PAWL__STEP_TOKEN].text = it,
                                              [PAWL__STEP_CURSOR].text = it,
                                              [PAWL__STEP_EXIT_CODE].integer = -1}};
                steps[i] = (pawl__hand_step){.row = &rows[i], .status = it, .why.reason = it};
                ways[i] = (pawl__answer_way){.id = it,
                        .option = pawl__answer_option(i % 2, i % 3),
                        .actor = it,
                        .is_signed = i % 2};
                for (int c = PAWL__CON_ID; c < PAWL__CON_COLUMNS; c++)
                        if (pawl__tables[PAWL__CONFLICTS].column[c].type == PAWL__TEXT &&
                                c != PAWL__CON_CANDIDATES)
                                conflicts[i].v[c].text = it;
                files[i] = it;
                notes[i] = (pawl__note){
                        text->list[i].heading.len ? text->list[i].heading : pawl__text("s"), it};
                for (int c = PAWL__SES_ID; c < PAWL__SES_COLUMNS; c++)
                        if (pawl__tables[PAWL__SESSIONS].column[c].type == PAWL__TEXT)
                                h.session.v[c].text = it;
                h.run.v[PAWL__RUN_STATUS].text = h.run.v[PAWL__RUN_SESSION].text = it;
                h.run.v[PAWL__RUN_REASON].text = it;
                h.run_place.elsewhere = h.place.elsewhere = it;
        }
        h.done = h.at_hand = h.next = (pawl__hand_steps){steps, text->n};
        h.conflicts = conflicts;
        h.ways = ways;
        h.files = files;
        h.notes = (pawl__notes){notes, text->n};
        check_again(&h);
        free(steps);
        free(conflicts);
        free(rows);
        free(ways);
        free(files);
        free(notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        pawl__handoff_text text;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = pawl__handoff_parse(&text, "h.md", (const char *)data, size, &err);

        if (status) {
                require(status == PAWL_EPARSE && err.status == status);
                require(strncmp(err.message, "h.md: ", 6) == 0 && !strchr(err.message, '\n'));
                return 0;
        }
        check_entries(&text);
        if (size < 4096) /* the document is a multiple of it */
                put_in_all_places(&text);
        pawl__handoff_text_free(&text);
        return 0;
}
