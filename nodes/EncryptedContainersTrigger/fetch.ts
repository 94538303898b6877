import { NodeApiError } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import { fetchRules } from '../shared/api/drmRules';
import type { ListDefinition, ListEntry } from '../shared/api/lists';
import { CONTACT_LIST, CONTAINER_LIST, fetchEntries } from '../shared/api/lists';
import type { ServiceClient } from '../shared/client/client';
import type { Limiter } from '../shared/client/limiter';
import { matchesWildcards } from '../shared/parameters/wildcards';
import type { TriggerParameters } from './parameters';

type ContainerWithRules = ListEntry & { rules: DrmRules };

/** A person waits for a sample, and a few containers are enough. */
const MAX_SAMPLE_RULES = 10;

/** Fetches the containers or contacts for one poll. Each method throws a NodeApiError when a request fails. */
export class PollFetcher {
	/**
	 * @param isSample whether a few records are enough
	 * @param hadRecords whether the last poll found anything
	 */
	constructor(
		private readonly client: ServiceClient,
		private readonly limiter: Limiter,
		private readonly userId: string,
		readonly parameters: TriggerParameters,
		readonly isSample: boolean,
		private readonly hadRecords: boolean,
	) {}

	async fetchContainers(): Promise<ListEntry[]> {
		return await this.fetchAll(CONTAINER_LIST);
	}

	async fetchContacts(): Promise<ListEntry[]> {
		return await this.fetchAll(CONTACT_LIST);
	}

	/** The containers that match the name filter, with their rules. */
	async fetchContainersWithRules(): Promise<ContainerWithRules[]> {
		const { nameFilter } = this.parameters;
		const containers = await this.fetchContainers();
		const matching = containers.filter(({ name }) => matchesNameFilter(name, nameFilter));
		return await this.addRules(this.isSample ? matching.slice(0, MAX_SAMPLE_RULES) : matching);
	}

	/**
	 * Fetches an empty list a second time. A service that can't see its data for a moment returns one too, and then every
	 * record would be new at the next poll.
	 */
	private async fetchAll(list: ListDefinition): Promise<ListEntry[]> {
		const entries = await fetchEntries(this.client, list, this.userId);
		if (entries.length > 0 || !this.hadRecords) return entries;
		return await fetchEntries(this.client, list, this.userId);
	}

	/** Sends one request for each container; deleted containers are omitted. */
	private async addRules(containers: ListEntry[]): Promise<ContainerWithRules[]> {
		const results = await Promise.allSettled(
			containers.map(async (container) => {
				const rules = fetchRules(this.client, container.id);
				rules.catch((error: unknown) => {
					if (!isNotFound(error)) this.limiter.stop(error);
				});
				return { ...container, rules: await rules };
			}),
		);
		return results.flatMap((result) => {
			if (result.status === 'fulfilled') return [result.value];
			if (isNotFound(result.reason)) return [];
			throw result.reason;
		});
	}
}

/**
 * Whether a name contains the filter or, with `*` for any characters, matches it completely. An empty filter matches all.
 * The time grows with the name only, whatever the filter.
 */
export function matchesNameFilter(name: string | undefined, filter: string): boolean {
	const text = (name ?? '').toLowerCase();
	const pattern = filter.toLowerCase();
	return pattern.includes('*') ? matchesWildcards(text, pattern) : text.includes(pattern);
}

/** Whether a container was deleted after the list was fetched. */
function isNotFound(error: unknown): boolean {
	return error instanceof NodeApiError && error.httpCode === '404';
}
