import type { Choice, Field } from './options';

type Activity =
	| 'refused'
	| 'accessRequested'
	| 'rulesChanged'
	| 'codeRefused'
	| 'created'
	| 'deleted'
	| 'opened'
	| 'downloaded'
	| 'filesReceived'
	| 'decoded'
	| 'viewed';

/** The service's events that nodes know (docs/openapi.yaml, Event), by the value of a choice. In the order of n8n. */
const ACTIVITIES: Record<Activity, { action: string; name: string; description?: string }> = {
	refused: { action: 'container.refuse', name: 'Access Refused' },
	accessRequested: {
		action: 'access.request',
		name: 'Access Requested',
		description:
			'Somebody who proved an address and was refused asks for access. The note is a text by a stranger.',
	},
	rulesChanged: { action: 'drm.update', name: 'Access Rules Changed' },
	codeRefused: {
		action: 'code.refuse',
		name: 'Code Refused',
		description:
			'Somebody asked for a code with an address that no rule names: a typing error, an alias, or a stranger',
	},
	created: { action: 'container.create', name: 'Container Created' },
	deleted: { action: 'container.delete', name: 'Container Deleted' },
	opened: { action: 'container.open', name: 'Container Opened' },
	decoded: {
		action: 'container.decode',
		name: 'File Decoded',
		description: 'A file came back to the owner, such as by Download Files (Decode)',
	},
	downloaded: { action: 'container.download', name: 'File Downloaded' },
	viewed: {
		action: 'container.view',
		name: 'File Viewed',
		description: 'Which pages were shown. Comes when the session is over.',
	},
	filesReceived: {
		action: 'request.deliver',
		name: 'Files Received',
		description: 'Somebody sent files by a File Request. They are a container of yours.',
	},
};

/** @param preset what is chosen by default */
export function createActionsField(preset: Activity[], description: string): Field<Activity[]> {
	const options = Object.entries(ACTIVITIES).map(([value, { name, description: meaning }]) => {
		return { name, value: value as Activity, description: meaning } satisfies Choice<Activity>;
	});
	const texts = { displayName: 'Events', name: 'actions', description };
	return { ...texts, type: 'multiOptions', options, default: preset };
}

/** What the service calls them. */
export function toActions(activities: Activity[]): string[] {
	return activities.map((activity) => ACTIVITIES[activity].action);
}

/** The expression of a subtitle on the canvas: what is chosen, by name. */
export function createActionsSubtitle(): string {
	const entries = Object.entries(ACTIVITIES).map(([value, { name }]) => [value, name]);
	const names = JSON.stringify(Object.fromEntries(entries));
	return `={{ $parameter["actions"].map((action) => (${names})[action]).join(", ") }}`;
}
