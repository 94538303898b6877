import type { FastifyBaseLogger } from 'fastify';
import type { Vault } from '../src/containers/vault.mts';
import type { Door, Visit } from '../src/open/door.mts';
import { readContent } from '../src/open/view/fileContent.mts';
import type { VisibleFile } from '../src/open/view/visibleFiles.mts';
import type { Viewing } from '../src/viewing/viewing.mts';
import { ViewingError } from '../src/viewing/viewingError.mts';

it('pages are shown without their text where it takes too long to read', async () => {
	const pages = [{ width: 595, height: 842 }];
	const description = { pageCount: 1, pages, outline: [], mayReadAloud: true };
	const viewing: Partial<Viewing> = {
		describe: async () => await Promise.resolve(description),
		readText: async () => await Promise.reject(new ViewingError('timedOut')),
	};
	const door = { viewing, vault: {} as Vault } as Door;
	const seal = { rules: {} } as Visit['seal'];
	const visit = { address: 'ada@example.com', row: { object: 'o-1' }, seal } as Visit;
	const file = { index: 0, name: 'a.pdf', type: 'application/pdf', size: 9 } as VisibleFile;
	const log = {} as FastifyBaseLogger;
	const content = await readContent({ door, visit, log }, file, {
		from: 1,
		isLarge: false,
		isText: false,
	});
	expect(content).toMatchObject({ as: 'pages', pages: [{ number: 1, ...pages[0] }] });
});
