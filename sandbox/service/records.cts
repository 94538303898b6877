import type { Rules, StoredContact, StoredContainer } from './store.cts';
import type { SandboxSettings } from '../settings.cts';

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

function formatTimes(rules: Rules, { drmTimes }: SandboxSettings): Rules {
	if (drmTimes === 'date' || rules.time === undefined) return rules;
	const { start, end } = rules.time as { start?: string; end?: string };
	return {
		...rules,
		time: {
			...(start === undefined ? {} : { start: toTimestamp(start, '00:00:00.000Z') }),
			...(end === undefined ? {} : { end: toTimestamp(end, '23:59:59.000Z') }),
		},
	};
}

const toTimestamp = (day: string, time: string) => (day.includes('T') ? day : `${day}T${time}`);

const KEPT_LENGTH = { milliseconds: 23, seconds: 19, minutes: 16 };

function dates(record: { created: string; updated: string }, settings: SandboxSettings): Fields {
	if (settings.dates === 'none') return {};
	const length = KEPT_LENGTH[settings.dates];
	return {
		created_date: truncate(record.created, length),
		updated_date: truncate(record.updated, length),
	};
}

/** Timestamps keep the form of the contract (milliseconds and Z), however coarse they are. */
function truncate(timestamp: string, length: number): string {
	return `${timestamp.slice(0, length)}${'0000-00-00T00:00:00.000'.slice(length)}Z`;
}
