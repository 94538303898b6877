import type { IDataObject } from 'n8n-workflow';
import { OperationalError, UserError } from 'n8n-workflow';

import { findCreation } from '../../../shared/api/creation';
import { fetchRules } from '../../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../../shared/api/lists';
import { getContainerIdentity } from '../../../shared/api/records';
import { isNotFound } from '../../../shared/errors/nodeErrors';
import { parseDate } from '../../../shared/parameters/dates';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import { matchesName } from '../../../shared/parameters/wildcards';
import { logWarning } from '../../execution/host';
import type { Item } from '../../execution/item';
import type { Call, Operation } from '../../execution/operation';
import type { ListRequest } from '../commonOperations';
import { fetchRecords, getListRequest, getNamePart } from '../commonOperations';

export const CREATED_AFTER = 'Created After';
export const CREATED_BEFORE = 'Created Before';

interface ContainersRequest extends ListRequest {
	includeRules: boolean;
}

/** Lists containers (docs/openapi.yaml, listContainers), with their rules where that is on (getDrmRules). */
export const getAll: Operation<ContainersRequest> = {
	parse(item) {
		const part = getNamePart(item);
		const isWithin = getCreationFilter(item);
		return {
			...getListRequest(item),
			needs: part === '' ? undefined : 'name',
			matches: (record) => matchesName(getContainerIdentity(record).name, part) && isWithin(record),
			includeRules: parseOption(item.getOptions(), 'includeRules', false, (value) =>
				parseBoolean(value, 'Include Rules'),
			),
		};
	},
	async send(call, request) {
		const records = await fetchRecords(call, CONTAINER_LIST, request);
		return request.includeRules ? await addRules(call, records) : records;
	},
};

/**
 * Whether a record was created within the days of the options, in the time zone of the workflow. It throws an
 * OperationalError where the service doesn't show when.
 *
 * @throws UserError for a value that is no date
 */
function getCreationFilter(item: Item): (record: IDataObject) => boolean {
	const { timeZone } = item;
	const parse = (name: string, label: string) =>
		parseOption<string | undefined>(item.getOptions(), name, undefined, (value) =>
			parseDate(value, label, timeZone),
		);
	const after = parse('createdAfter', CREATED_AFTER);
	const before = parse('createdBefore', CREATED_BEFORE);
	return (record) => {
		if (after === undefined && before === undefined) return true;
		const day = findCreation(record, timeZone)?.day;
		if (day === undefined) {
			throw new OperationalError('The service does not show when a container was created', {
				description: `Remove "${CREATED_AFTER}" and "${CREATED_BEFORE}" from the options: without a date, nobody can tell which containers are meant.`,
			});
		}
		return (after === undefined || day > after) && (before === undefined || day < before);
	};
}

/** Adds the rules of each container; those that were deleted meanwhile are left out, and named above the output. */
async function addRules(call: Call, records: IDataObject[]): Promise<IDataObject[]> {
	const { client, item } = call;
	const ids = records.map((record) => getId(call, record));
	const found: Array<IDataObject | undefined> = records.map(() => undefined);
	let next = 0;
	const work = async () => {
		while (next < records.length) {
			const index = next;
			next += 1;
			const rules = await fetchRules(client, ids[index]).catch((error: unknown) => {
				if (isNotFound(error)) return;
				// The other workers end, too.
				next = records.length;
				if (error instanceof UserError) throw unusableIdError(client.redactLine(ids[index]));
				throw error;
			});
			if (rules !== undefined) found[index] = { ...records[index], rules };
		}
	};
	await Promise.all(Array.from({ length: item.settings.maxConcurrent }, work));
	const missing = records.filter((_record, index) => found[index] === undefined);
	reportMissing(call, missing, records.length);
	return found.filter((record) => record !== undefined);
}

/** @throws NodeApiError for an entry of the list without an identifier */
function getId({ client }: Call, record: IDataObject): string {
	const { id } = getContainerIdentity(record);
	if (id !== undefined) return id;
	throw client.createError(
		{ method: 'GET', path: '', action: CONTAINER_LIST.action },
		{
			kind: 'unexpected',
			expected: CONTAINER_LIST.expected,
			received: 'a container without an identifier',
		},
	);
}

/** Without the container, the output would look complete. */
function unusableIdError(id: string): UserError {
	return new UserError(`The list has a container whose ID can't be in a URL: "${id}"`, {
		description:
			'Its rules can\'t be fetched. Turn off "Include Rules", or leave out the container with "Name Contains" or "Query Parameters".',
	});
}

/** @throws OperationalError when no container has rules: that is no coincidence */
function reportMissing({ client, run, item }: Call, missing: IDataObject[], total: number): void {
	if (missing.length === 0) return;
	if (missing.length === total && total > 1) {
		throw new OperationalError('The service found no access rules for any container in the list', {
			description: `The service returned "not found" for the rules of all ${total} containers. Check that the API key can read the rules, and that the Base URL in the credential ends with the right version.`,
		});
	}
	const names = missing.map(getContainerIdentity).map(({ id, name }) => `"${name}" (${id})`);
	const message = `Left out because they were deleted meanwhile: ${client.redactLine(names.join(', '))}`;
	run.addHint(message);
	logWarning(item.host.context, message);
}
