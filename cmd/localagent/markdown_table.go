package main

import "strings"

// A cell is the text of a table's cell, its marks read.
type cell []span

func (c cell) width() (w int) {
	for _, p := range c {
		w += textWidth(p.text)
	}
	return w
}

// flushTable writes the rows that were held back, their columns aligned, or as
// they stand when they do not fit.
func (m *markdown) flushTable() {
	rows := m.table
	m.table = nil
	if len(rows) == 0 {
		return
	}
	cells, widths := m.readTable(rows)
	total := 0
	for _, w := range widths {
		total += w + 3
	}
	if len(rows) < 2 || total > m.width {
		for _, row := range rows {
			m.s.put(row, "\n")
		}
		return
	}
	for _, row := range cells {
		if row == nil {
			m.s.put(span{styleDim, strings.Repeat("─", total-1)}, "\n")
			continue
		}
		parts := []any{}
		for j, c := range row {
			parts = append(parts, " ")
			for _, p := range c {
				parts = append(parts, p)
			}
			parts = append(parts, strings.Repeat(" ", widths[j]-c.width()), "  ")
		}
		m.s.put(append(parts, "\n")...)
	}
}

func isDelimiterRow(row string) bool {
	return strings.Contains(row, "-") && kindsOfLines().delimiterRow.MatchString(row)
}

// readTable splits rows into cells, none for the row below the head that only
// rules it off, and measures the columns.
func (m *markdown) readTable(rows []string) (cells [][]cell, widths []int) {
	for i, row := range rows {
		if i == 1 && isDelimiterRow(row) {
			cells = append(cells, nil)
			continue
		}
		var line []cell
		for j, text := range splitRow(row) {
			c := m.readCell(text, i == 0)
			line = append(line, c)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], c.width())
		}
		cells = append(cells, line)
	}
	return cells, widths
}

// splitRow splits a row at the bars that are neither escaped nor in a code span.
func splitRow(row string) (cells []string) {
	row = strings.TrimPrefix(strings.TrimSpace(row), "|")
	var text strings.Builder
	end := func() { cells = append(cells, strings.TrimSpace(text.String())); text.Reset() }
	for row != "" {
		n := 1
		switch {
		case row[0] == '|':
			end()
			row = row[1:]
			continue
		case strings.HasPrefix(row, `\|`):
			row = row[1:] // the bar alone
		case row[0] == '`':
			_, span, _ := codeSpan(row, true)
			n = max(span, runOf(row))
		}
		text.WriteString(row[:n])
		row = row[n:]
	}
	if text.Len() > 0 || len(cells) == 0 {
		end() // the last bar may be missing
	}
	return cells
}

// readCell reads the marks in the text of a cell.
func (m *markdown) readCell(text string, head bool) cell {
	in := markdown{kinds: m.kinds, heading: head, line: clean(text), oneWord: true}
	in.inline(true)
	return in.word
}
