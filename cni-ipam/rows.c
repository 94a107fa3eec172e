/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12
#define CELL_MAX    600

int rows_open(struct rows *rows, struct err *e)
{
	rows->stream = open_memstream(&rows->text, &rows->len);
	return rows->stream ? 0 : err_set(e, CNI_ERR_IO, errno, "collect the rows");
}

void rows_done(struct rows *rows)
{
	if (rows->stream)
		fclose(rows->stream);
	free(rows->text);
}

int rows_add(struct rows *rows, json_t *row, struct err *e)
{
	int r = row ? json_dumpf(row, rows->stream, JSON_COMPACT) : -1;

	json_decref(row);
	if (r || fputc('\n', rows->stream) == EOF)
		return err_set(e, CNI_ERR_IO, ENOMEM, "collect the rows");
	return 0;
}

void rows_forget(struct rows *rows)
{
	rewind(rows->stream);
}

static const char *cell(json_t *row, const struct column *column, char buf[CELL_MAX])
{
	json_t *value = json_object_get(row, column->key);

	if (json_is_integer(value))
		snprintf(buf, CELL_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		snprintf(buf, CELL_MAX, "%s",
			 json_is_string(value) ? json_string_value(value) : "-");
	if (!*buf)
		strcpy(buf, "-");
	return buf;
}

typedef void row_fn(json_t *row, const struct column *columns, size_t count, size_t *widths);

static void measure(json_t *row, const struct column *columns, size_t count, size_t *widths)
{
	char buf[CELL_MAX];

	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(cell(row, &columns[i], buf));

		if (len > widths[i])
			widths[i] = len;
	}
}

static void put(const char *text, const struct column *column, size_t width, bool last)
{
	if (last && !column->right)
		printf("%s\n", text);
	else
		printf(column->right ? "%*s%s" : "%-*s%s", (int)width, text, last ? "\n" : "  ");
}

static void print_row(json_t *row, const struct column *columns, size_t count, size_t *widths)
{
	char buf[CELL_MAX];

	for (size_t i = 0; i < count; i++)
		put(cell(row, &columns[i], buf), &columns[i], widths[i], i + 1 == count);
}

static void each_row(struct rows *rows, row_fn *fn, const struct column *columns, size_t count,
		     size_t *widths)
{
	for (char *line = rows->text, *end = rows->text + rows->len; line < end;) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		json_t *row = json_loadb(line, (size_t)(next - line), 0, NULL);

		fn(row, columns, count, widths);
		json_decref(row);
		line = next + 1;
	}
}

static void print_table(struct rows *rows, const struct column *columns, size_t count)
{
	size_t widths[COLUMNS_MAX];

	for (size_t i = 0; i < count; i++)
		widths[i] = strlen(columns[i].title);
	each_row(rows, measure, columns, count, widths);
	for (size_t i = 0; i < count; i++)
		put(columns[i].title, &columns[i], widths[i], i + 1 == count);
	each_row(rows, print_row, columns, count, widths);
}

/* Each line is an object already: only what stands between them is missing. */
static void print_json(const struct rows *rows)
{
	printf("[");
	for (size_t i = 0; i < rows->len; i++) {
		if (!i)
			putchar('\n');
		if (rows->text[i] != '\n')
			putchar(rows->text[i]);
		else
			fputs(i + 1 < rows->len ? ",\n" : "\n", stdout);
	}
	printf("]\n");
}

int rows_print(struct rows *rows, const struct column *columns, size_t count, bool json,
	       const char *none)
{
	fflush(rows->stream);
	if (json)
		print_json(rows);
	else if (rows->len)
		print_table(rows, columns, count);
	else
		fprintf(stderr, "%s\n", none);
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
