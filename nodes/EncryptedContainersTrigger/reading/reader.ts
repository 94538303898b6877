import type { Rules } from '../../shared/answers/records';
import type { Service } from '../../shared/run/service';
import { passesFilter } from '../nameFilter';
import type { Settings } from '../settings';
import type { Listed, ListKind } from './listing';
import { CONTACTS, CONTAINERS, readListed } from './listing';
import { rulesOfContainers } from './rulesOfContainers';

/** A sample needs few, and a person waits for it. */
const MOST_RULES_IN_A_SAMPLE = 10;

/** What an event reads with, for one poll. */
export class Reader {
	/**
	 * @param service what sends
	 * @param userId whose containers and contacts
	 * @param settings what the user chose
	 * @param isSample whether a few of everything will do
	 * @param knewSome whether the last poll found anything
	 */
	constructor(
		private readonly service: Service,
		private readonly userId: string,
		readonly settings: Settings,
		readonly isSample: boolean,
		private readonly knewSome: boolean,
	) {}

	/** All containers of the user. */
	async containers(): Promise<Listed[]> {
		return await this.read(CONTAINERS);
	}

	/** The containers whose names pass the filter. */
	async filteredContainers(): Promise<Listed[]> {
		const containers = await this.containers();
		return containers.filter(({ name }) => passesFilter(name, this.settings.nameFilter));
	}

	/** All contacts of the user. */
	async contacts(): Promise<Listed[]> {
		return await this.read(CONTACTS);
	}

	/** Containers with their rules; only of a few of them in a sample. */
	async rulesOf(containers: Listed[]): Promise<Array<Listed & { rules: Rules }>> {
		const chosen = this.isSample ? containers.slice(0, MOST_RULES_IN_A_SAMPLE) : containers;
		return await rulesOfContainers(this.service, chosen);
	}

	/**
	 * An empty list is an answer like any other, and everything may have been deleted. But it is also what a service says
	 * that has lost sight of its data for a moment, and would make everything new again: so it is asked a second time.
	 */
	private async read(kind: ListKind): Promise<Listed[]> {
		const listed = await readListed(this.service, kind, this.userId);
		if (listed.length > 0 || !this.knewSome) return listed;
		return await readListed(this.service, kind, this.userId);
	}
}
