import type { View, Viewing } from '../viewing.mts';
import { Conversions } from './conversions.mts';
import type { Converter } from './converter.mts';
import { findOfficeEnding } from './officeFormats.mts';

/** Shows documents as well, as the PDFs that a converter makes of them. */
export function withOffice(viewing: Viewing, converter: Converter): Viewing {
	const conversions = new Conversions(converter);

	async function toPdf(view: View): Promise<View> {
		const ending = findOfficeEnding(view.source);
		if (ending === undefined) return view;
		return { ...view, source: await conversions.open(view, ending) };
	}

	function countTasks() {
		const pages = viewing.countTasks();
		const documents = conversions.countTasks();
		return {
			running: pages.running + documents.running,
			waiting: pages.waiting + documents.waiting,
		};
	}

	return {
		describe: async (view, pages) => await viewing.describe(await toPdf(view), pages),
		readText: async (view, pages) => await viewing.readText(await toPdf(view), pages),
		render: async (view, task) => await viewing.render(await toPdf(view), task),
		countTasks,
		async close() {
			conversions.close();
			await viewing.close();
		},
	};
}
