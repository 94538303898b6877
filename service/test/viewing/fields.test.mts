import { createPdf, PdfWriter } from '../support/pdf.mts';
import { describeService } from '../support/service.mts';
import { measureInk, openViewing, toPixels, toView } from '../support/viewing.mts';

/** An empty page with a field or a comment, without a picture of it. */
function createField(entries: string): Buffer {
	const writer = new PdfWriter();
	const font = writer.add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
	const field = writer.add(`<< /Type /Annot /T (a) /Rect [5 20 195 70] /F 4 ${entries} >>`);
	const catalog = `/AcroForm << /Fields [${field}] /DA (/Helv 20 Tf 0 g) /DR << /Font << /Helv ${font} >> >> >>`;
	const page = { content: '', width: 200, height: 120, entries: `/Annots [${field}]` };
	return createPdf([page], { writer, catalog });
}

describeService('what somebody typed into a PDF, where it has no picture of it', () => {
	const viewing = openViewing();
	const draw = async (entries: string) => {
		const view = toView(createField(entries));
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		return measureInk(pixels, [0, pixels.width]);
	};

	test.each([
		['a text field', '/Subtype /Widget /FT /Tx /V (Anna Ada)'],
		['a text field in Chinese', '/Subtype /Widget /FT /Tx /V <FEFF4F60597D4F60>'],
		['a choice', '/Subtype /Widget /FT /Ch /Ff 131072 /V (Two) /Opt [(One)(Two)]'],
		['a list', '/Subtype /Widget /FT /Ch /V (Two) /Opt [(One)(Two)]'],
		['a box that is ticked', '/Subtype /Widget /FT /Btn /V /Yes /AS /Yes /MK << /CA (4) >>'],
		['a comment on the page', '/Subtype /FreeText /Contents (Comment) /DA (/Helv 30 Tf 0 g)'],
	])('is shown: %s', async (_, entries) => {
		expect(await draw(entries)).toBeGreaterThan(0.5);
	});

	test('is not shown where it is hidden', async () => {
		expect(await draw('/Subtype /Widget /FT /Tx /V (Anna Ada) /F 2')).toBe(0);
	});
});
