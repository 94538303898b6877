import { NodeApiError } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/records';
import { fetchRules, DRM_PATH } from '../shared/api/fetchRules';
import type { Service } from '../shared/client/session';
import { buildPath } from '../shared/client/path';

/**
 * Reads the rules of containers, one request for each, as many at a time as the limiter lets through.
 *
 * @param service what sends
 * @param containers the containers
 * @returns each container with its rules, in the same order; without those that are gone by now
 * @throws NodeApiError when the rules of any of them cannot be read; the requests not yet sent are not sent then
 */
export async function fetchRulesOfContainers<Container extends { id: string }>(
	service: Service,
	containers: Container[],
): Promise<Array<Container & { rules: DrmRules }>> {
	const results = await Promise.allSettled(
		containers.map(async (container) => {
			const path = buildPath(DRM_PATH, { containerId: container.id });
			const reading = fetchRules(service, path, container.id);
			reading.catch((error: unknown) => {
				if (!isGone(error)) service.limiter.stop(error);
			});
			return { ...container, rules: await reading };
		}),
	);
	return results.flatMap((result) => {
		if (result.status === 'fulfilled') return [result.value];
		if (isGone(result.reason)) return [];
		throw result.reason;
	});
}

/** Deleted between the list and this request. */
function isGone(error: unknown): boolean {
	return error instanceof NodeApiError && error.httpCode === '404';
}
