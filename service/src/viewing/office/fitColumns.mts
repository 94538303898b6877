/**
 * A program for awk. It gives each sheet of a spreadsheet (a flat OpenDocument, read twice) paper that is wide enough for
 * all of its columns, so that a row stays on one page. LibreOffice writes one element a line.
 */
export const FIT_COLUMNS = `
function get(name,    at, rest) {
	at = index($0, " " name "=\\"")
	if (at == 0) return ""
	rest = substr($0, at + length(name) + 3)
	return substr(rest, 1, index(rest, "\\"") - 1)
}
function remove(name,    at, rest) {
	at = index($0, " " name "=\\"")
	if (at == 0) return
	rest = substr($0, at + length(name) + 3)
	$0 = substr($0, 1, at - 1) substr(rest, index(rest, "\\"") + 1)
}
function inches(measure) {
	if (measure ~ /cm$/) return measure / 2.54
	if (measure ~ /mm$/) return measure / 25.4
	if (measure ~ /pt$/) return measure / 72
	return measure + 0
}
function is(element) { return index($0, "<" element " ") }

# First: how wide the columns of each layout are together.
FNR == NR && is("style:style") {
	style = get("style:name")
	if (get("style:family") == "table") master[style] = get("style:master-page-name")
}
FNR == NR && is("style:table-column-properties") { column[style] = inches(get("style:column-width")) }
FNR == NR && is("style:master-page") { layout[get("style:name")] = get("style:page-layout-name") }
FNR == NR && is("table:table") {
	sheet = layout[master[get("table:style-name")]]
	width = 0
}
FNR == NR && is("table:table-column") && get("table:visibility") == "" {
	count = get("table:number-columns-repeated") + 0
	if (count == 0) count = 1
	# More are the empty ones up to the end of the sheet.
	if (count <= 200) width += count * column[get("table:style-name")]
	if (width > widest[sheet]) widest[sheet] = width
}
FNR == NR { next }

# Then: paper of the shape of A4, upright where the columns fit on it.
is("style:page-layout") { page = get("style:name") }
is("style:page-layout-properties") && page in widest {
	paper = widest[page] + inches(get("fo:margin-left")) + inches(get("fo:margin-right"))
	upright = paper <= 8.27
	if (upright) paper = 8.27
	else if (paper < 11.69) paper = 11.69
	else if (paper > 44) paper = 44
	height = upright ? paper * 1.414 : paper / 1.414
	remove("fo:page-width")
	remove("fo:page-height")
	remove("style:print-orientation")
	remove("style:scale-to")
	remove("style:scale-to-pages")
	remove("style:scale-to-X")
	remove("style:scale-to-Y")
	size = "fo:page-width=\\"" paper "in\\" fo:page-height=\\"" height "in\\""
	turned = "style:print-orientation=\\"" (upright ? "portrait" : "landscape") "\\""
	scale = "style:scale-to-X=\\"1\\" style:scale-to-Y=\\"0\\""
	sub("<style:page-layout-properties", "& " size " " turned " " scale)
}
{ print }
`;
