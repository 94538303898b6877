import { ViewingError } from '../../src/viewing/viewingError.mts';
import { createEndlessPdf, HOSTILE_DOCUMENTS, type HostileFile } from '../support/hostileFiles.mts';
import { HOSTILE_PICTURES } from '../support/hostilePictures.mts';
import { createPdf, toTextContent } from '../support/pdf.mts';
import { describeService } from '../support/service.mts';
import { openViewing, toView } from '../support/viewing.mts';

/** The project `hostile` tests all of them. */
const isAll = Boolean((globalThis as { allHostileFiles?: boolean }).allHostileFiles);
const files = [...HOSTILE_DOCUMENTS, ...HOSTILE_PICTURES].filter(
	({ isExample }) => isAll || isExample,
);

/** What a description and a picture take at most, with the start of a thread for each. */
const MAX_MS = 25_000;
const good = createPdf([{ content: toTextContent('A good page') }]);

describeService('a file that is made to do harm', () => {
	const viewing = openViewing();

	async function view(content: Buffer): Promise<string> {
		const request = toView(content, { client: 'mallory@example.com' });
		try {
			await viewing.describe(request, { from: 1, to: 20 });
			await viewing.readText(request, { from: 1, to: 20 });
			const { width, height } = await viewing.render(request, { page: 1, size: 'large' });
			expect(width * height).toBeLessThan(8_100_000);
			return 'shown';
		} catch (error) {
			if (!(error instanceof ViewingError)) throw error;
			return error.problem;
		}
	}

	test.each(files)('$name', async ({ create, ends }: HostileFile) => {
		const content = create();
		const start = performance.now();
		expect(ends).toContain(await view(content));
		expect(performance.now() - start).toBeLessThan(MAX_MS);
		const picture = await viewing.render(toView(good), { page: 1, size: 'fit' });
		expect(picture.width).toBe(909);
	});

	test('that took all of its time is not tried again', async () => {
		const request = toView(createEndlessPdf());
		const render = () => viewing.render(request, { page: 1, size: 'fit' });
		await expect(render()).rejects.toMatchObject({ problem: 'timedOut' });
		const start = performance.now();
		await expect(render()).rejects.toMatchObject({ problem: 'timedOut' });
		// A try takes ten seconds.
		expect(performance.now() - start).toBeLessThan(5000);
	});

	test('twice, from two people, keeps no third one waiting', async () => {
		let ended = 0;
		const endless = ['mallory@example.com', 'oscar@example.com'].map(async (client) => {
			const request = toView(createEndlessPdf(), { client });
			await viewing.render(request, { page: 1, size: 'fit' }).catch(() => (ended += 1));
		});
		const picture = await viewing.render(toView(good), { page: 1, size: 'fit' });
		expect(picture.width).toBe(909);
		expect(ended).toBe(0);
		await Promise.all(endless);
		expect(ended).toBe(2);
	});
});
