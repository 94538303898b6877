import { NodeApiError } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import { fetchRules } from '../shared/api/drmRules';
import type { ListDefinition, ListEntry } from '../shared/api/lists';
import { CONTACT_LIST, CONTAINER_LIST, fetchEntries } from '../shared/api/lists';
import type { ServiceClient } from '../shared/client/client';
import type { Limiter } from '../shared/client/limiter';
import type { EventFetcher, TriggerParameters } from './types';

/** A sample needs few, and a person waits for it. */
const MAX_SAMPLE_RULES = 10;

/** Fetches what the events of one poll are about. */
export class PollFetcher implements EventFetcher {
	/** @param hadRecords whether the last poll found anything */
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

	async fetchContainersWithRules(): Promise<Array<ListEntry & { rules: DrmRules }>> {
		const { nameFilter } = this.parameters;
		const containers = (await this.fetchContainers()).filter(({ name }) =>
			matchesNameFilter(name, nameFilter),
		);
		return await this.fetchRules(
			this.isSample ? containers.slice(0, MAX_SAMPLE_RULES) : containers,
		);
	}

	/**
	 * An empty list is a response like any other, and everything may have been deleted. But a service that has lost sight
	 * of its data for a moment returns one too, and would make everything new again: so it is fetched a second time.
	 */
	private async fetchAll(list: ListDefinition): Promise<ListEntry[]> {
		const entries = await fetchEntries(this.client, list, this.userId);
		if (entries.length > 0 || !this.hadRecords) return entries;
		return await fetchEntries(this.client, list, this.userId);
	}

	/** One request for each container, as many at a time as the limiter lets through; deleted containers are left out. */
	private async fetchRules(
		containers: ListEntry[],
	): Promise<Array<ListEntry & { rules: DrmRules }>> {
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
 * Whether a name passes a filter as people type it. Takes time in proportion to the name, whatever the filter.
 *
 * @param filter text that the name contains or, with `*` for any characters, that it matches completely; empty for all
 */
export function matchesNameFilter(name: string | undefined, filter: string): boolean {
	const [first, ...others] = filter.toLowerCase().split('*');
	const text = (name ?? '').toLowerCase();
	const last = others.pop();
	if (last === undefined) return text.includes(first);
	if (!text.startsWith(first)) return false;
	let from = first.length;
	for (const part of others) {
		const found = text.indexOf(part, from);
		if (found === -1) return false;
		from = found + part.length;
	}
	return text.length - last.length >= from && text.endsWith(last);
}

/** Deleted between the list and this request. */
function isNotFound(error: unknown): boolean {
	return error instanceof NodeApiError && error.httpCode === '404';
}
