/**
 * A program for awk. It gives each sheet of a spreadsheet (a flat OpenDocument, read twice) paper of its own that is wide enough for
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

# First: how wide the columns of each sheet are together, and where its paper is described. Tables in charts have no style.
FNR == NR && is("style:style") {
	style = get("style:name")
	if (get("style:family") == "table") master[style] = get("style:master-page-name")
}
FNR == NR && is("style:table-column-properties") { column[style] = inches(get("style:column-width")) }
FNR == NR && is("style:master-page") { layout[get("style:name")] = get("style:page-layout-name") }
FNR == NR && is("table:table") && get("table:style-name") != "" {
	sheets += 1
	user["style:style", sheets] = get("table:style-name")
	user["style:master-page", sheets] = master[get("table:style-name")]
	user["style:page-layout", sheets] = layout[master[get("table:style-name")]]
}
FNR == NR && is("table:table-column") && get("table:visibility") == "" {
	count = get("table:number-columns-repeated") + 0
	if (count == 0) count = 1
	# More are the empty ones up to the end of the sheet.
	if (count <= 200) widest[sheets] += count * column[get("table:style-name")]
}
FNR == NR { next }

# Then: sheets share their paper, so each gets a copy of its own.
function rename(attribute, sheet) {
	if (get(attribute) == "") return
	remove(attribute)
	sub(/<[^ >]+/, "& " attribute "=\\"sheet" sheet "\\"")
}
function copy(sheet,    at) {
	for (at = 1; at <= lines; at += 1) {
		$0 = line[at]
		if (at == 1) {
			rename("style:name", sheet)
			rename("style:master-page-name", sheet)
			rename("style:page-layout-name", sheet)
			remove("style:display-name")
		}
		if (is("style:page-layout-properties")) fit(sheet)
		print
	}
}
function begins() {
	if (is("style:page-layout")) return "style:page-layout"
	if (is("style:master-page")) return "style:master-page"
	return is("style:style") && get("style:family") == "table" ? "style:style" : ""
}
block == "" && begins() != "" {
	block = begins()
	name = get("style:name")
	lines = 0
}
block != "" {
	lines += 1
	line[lines] = $0
	print
	if (index($0, "</" block ">") == 0 && !(lines == 1 && /\\/>$/)) next
	for (number = 1; number <= sheets; number += 1) if (user[block, number] == name) copy(number)
	block = ""
	next
}
is("table:table") && get("table:style-name") != "" {
	shown += 1
	rename("table:style-name", shown)
}
{ print }

# Paper of the shape of A4, upright where the columns fit on it.
function fit(sheet,    paper, upright, height, size, turned, scale) {
	paper = widest[sheet] + inches(get("fo:margin-left")) + inches(get("fo:margin-right"))
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
`;
