import { loadDocument } from '../../sandbox/contract.cts';

/** What docs/openapi.yaml says of one open point. */
export interface OpenPoint {
	/** Where it is marked, and what is unknown: `upsertContact: Which fields a contact can have`. */
	id: string;
	/** What the nodes do there. */
	node: string;
}

/** Reads the open points in the order of docs/openapi.yaml. */
export function readOpenPoints(): OpenPoint[] {
	return findPoints(loadDocument(), 'service');
}

function findPoints(value: unknown, place: string): OpenPoint[] {
	if (typeof value !== 'object' || value === null) return [];
	const { operationId } = value as { operationId?: string };
	const here = operationId ?? place;
	return Object.entries(value).flatMap(([key, child]) => {
		if (key !== 'x-open') return findPoints(child, getPlace(here, key));
		const points = child as Array<{ unknown: string; node: string }>;
		return points.map(({ unknown, node }) => ({ id: `${here}: ${unknown}`, node }));
	});
}

/** Operations name themselves; a component has the name below its kind (`schemas`), and a property that of its key. */
function getPlace(place: string, key: string): string {
	return /^[A-Z][A-Za-z]*$/.test(key) || key === 'apiKey' ? key : place;
}
