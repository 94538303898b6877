import { FairQueue } from './fairQueue.mts';
import type { FileSource } from './openDocument.mts';
import { OpenDocuments } from './openDocuments.mts';
import { createRefusals } from './refusals.mts';
import type { Description, PageText, PageRange, Picture, RenderTask, Task } from './tasks.mts';

/** One request of somebody for a file. */
export interface View {
	/** Names the file: all who view the same file share one thread. */
	key: string;
	/** Names whom it is for: each gets their turn. */
	client: string;
	source: FileSource;
	/** Says that nobody waits for it any more. */
	signal?: AbortSignal;
}

/** All of it throws ViewingError where the file can't be shown, and what the source throws. */
export interface Viewing {
	/** Of these pages, from 1 to the last; none may be there. */
	describe(view: View, pages: PageRange): Promise<Description>;
	render(view: View, task: RenderTask): Promise<Picture>;
	/** Of these pages. */
	readText(view: View, pages: PageRange): Promise<PageText[]>;
	/** How many run, and how many wait for their turn. */
	countTasks(): { running: number; waiting: number };
	close(): Promise<void>;
}

export interface ViewingOptions {
	/** The compiled thread of a document. */
	workerFile?: URL;
}

/** Pages of documents as pictures. Nothing is loaded before the first view. */
export function createViewing(options: ViewingOptions = {}): Viewing {
	const { workerFile = new URL('./worker.mjs', import.meta.url) } = options;
	const queue = new FairQueue();
	const documents = new OpenDocuments(workerFile);
	const refusals = createRefusals();

	async function perform(view: View, task: Task) {
		const { key, client, source, signal } = view;
		const page = task.name === 'render' ? task.page : task.pages.from;
		refusals.check(key, page);
		try {
			return await queue.add({
				client,
				document: key,
				run: async () =>
					await documents.use(key, source, (document) => document.perform(task, source)),
				stop: () => void documents.close(key),
				// A page of the viewer doesn't wait for the pictures of the one before.
				isUrgent: task.name !== 'render',
				signal,
			});
		} catch (error) {
			refusals.note(key, page, error);
			throw error;
		}
	}

	return {
		describe: async (view, pages) =>
			(await perform(view, { name: 'describe', pages })) as Description,
		readText: async (view, pages) =>
			(await perform(view, { name: 'readText', pages })) as PageText[],
		render: async (view, task) => (await perform(view, { name: 'render', ...task })) as Picture,
		countTasks: () => queue.count(),
		close: () => documents.closeAll(),
	};
}
