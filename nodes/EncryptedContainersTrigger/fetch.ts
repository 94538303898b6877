import type { DrmRules } from '../shared/api/records';
import type { Service } from '../shared/client/session';
import { matchesNameFilter } from './nameFilter';
import type { TriggerParameters } from './parameters';
import type { ListEntry, ListDefinition } from '../shared/api/lists';
import { CONTACT_LIST, CONTAINER_LIST, fetchEntries } from '../shared/api/lists';
import { fetchRulesOfContainers } from './fetchRulesOfContainers';

/** A sample needs few, and a person waits for it. */
const MOST_RULES_IN_A_SAMPLE = 10;

/** What an event reads with, for one poll. */
export class Fetcher {
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
		readonly settings: TriggerParameters,
		readonly isSample: boolean,
		private readonly knewSome: boolean,
	) {}

	/** All containers of the user. */
	async containers(): Promise<ListEntry[]> {
		return await this.read(CONTAINER_LIST);
	}

	/** The containers whose names pass the filter. */
	async filteredContainers(): Promise<ListEntry[]> {
		const containers = await this.containers();
		return containers.filter(({ name }) => matchesNameFilter(name, this.settings.nameFilter));
	}

	/** All contacts of the user. */
	async contacts(): Promise<ListEntry[]> {
		return await this.read(CONTACT_LIST);
	}

	/** Containers with their rules; only of a few of them in a sample. */
	async rulesOf(containers: ListEntry[]): Promise<Array<ListEntry & { rules: DrmRules }>> {
		const chosen = this.isSample ? containers.slice(0, MOST_RULES_IN_A_SAMPLE) : containers;
		return await fetchRulesOfContainers(this.service, chosen);
	}

	/**
	 * An empty list is an answer like any other, and everything may have been deleted. But it is also what a service says
	 * that has lost sight of its data for a moment, and would make everything new again: so it is asked a second time.
	 */
	private async read(kind: ListDefinition): Promise<ListEntry[]> {
		const listed = await fetchEntries(this.service, kind, this.userId);
		if (listed.length > 0 || !this.knewSome) return listed;
		return await fetchEntries(this.service, kind, this.userId);
	}
}
