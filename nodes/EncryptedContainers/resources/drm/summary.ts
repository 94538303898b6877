import type { Execution } from '../../execution/item';
import type { ContainerEntry } from './changeRules';

/** What the output pane says of the containers that were looked at. */
export class Summary {
	gone = 0;
	isAnyDone = false;
	private readonly lists = new Set<ContainerEntry[]>();
	private readonly unmatched = new Set<string>();

	/** @param unmatched the text that no name of the list contains */
	addList(entries: ContainerEntry[], unmatched?: string): void {
		this.lists.add(entries);
		if (unmatched) this.unmatched.add(unmatched);
	}

	tell(run: Execution): void {
		const { lists, unmatched, gone, isAnyDone } = this;
		// What an earlier try did is not known here.
		if (lists.size === 0 || run.tries.count > 1) return;
		const count = [...lists].reduce((sum, { length }) => sum + length, 0);
		const isNothing = !isAnyDone && run.failed === 0 && unmatched.size === 0;
		const texts = [
			...[...unmatched].map((text) => `No container has a name that contains "${text}".`),
			count === 1 ? '1 container read.' : `${count} containers read.`,
			gone > 0 && `Deleted meanwhile and passed over: ${gone}.`,
			isNothing && 'There was nothing to do. If you expected otherwise, check what you entered.',
		];
		run.addHint(texts.filter(Boolean).join(' '));
	}
}
