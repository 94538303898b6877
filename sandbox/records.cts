import type { SandboxSettings } from './settings.cts';
import type { Rules, StoredContact, StoredContainer } from './store.cts';

type Fields = Record<string, unknown>;

/** A container as responses show it: neither its password nor its rules. */
export function containerRecord(container: StoredContainer, settings: SandboxSettings): Fields {
	return {
		uuid: container.uuid,
		name: container.name,
		owner_id: container.userId,
		file_count: container.files.length,
		size: container.files.reduce((sum, file) => sum + file.size, 0),
		...dates(container, settings),
		...settings.containerFields,
	};
}

/** `ContainerEnvelope` of the contract: for a user's container, `org_id` is the user. */
export function containerEnvelope(container: StoredContainer, settings: SandboxSettings) {
	return { org_id: container.userId, container: containerRecord(container, settings) };
}

export function contactRecord(contact: StoredContact, settings: SandboxSettings): Fields {
	return { email: contact.email, ...contact.fields, ...dates(contact, settings) };
}

/** Rules as responses show them: bare, or under the key that `drmShape` names. */
export function rulesRecord(rules: Rules, settings: SandboxSettings): Fields {
	const record = { ...formatTimes(rules, settings), ...settings.drmFields };
	return settings.drmShape === 'bare' ? record : { [settings.drmShape]: record };
}

const TIME_OF_DAY: Record<string, string> = { start: '00:00:00.000Z', end: '23:59:59.000Z' };

function formatTimes(rules: Rules, { drmTimes }: SandboxSettings): Rules {
	if (drmTimes === 'date' || rules.time === undefined) return rules;
	const edges = Object.entries(rules.time as Record<string, string>);
	const time = edges.map(([edge, day]) => [
		edge,
		day.includes('T') ? day : `${day}T${TIME_OF_DAY[edge]}`,
	]);
	return { ...rules, time: Object.fromEntries(time) };
}

/** Timestamps keep the form of the contract (milliseconds and Z), however coarse they are. */
function dates(record: { created: string; updated: string }, settings: SandboxSettings): Fields {
	if (settings.dates === 'none') return {};
	const format = (timestamp: string) =>
		settings.dates === 'seconds' ? timestamp.replace(/\.\d+/, '.000') : timestamp;
	return { created_date: format(record.created), updated_date: format(record.updated) };
}
