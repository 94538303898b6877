import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../client/client';
import { readRecord, withFirst } from './records';

/** A record with the ID of its container and the link to it at the top, in place of any `containerId` or `link` of its own. */
export async function withLink(client: Client, containerId: string, record: IDataObject) {
	const link = await findContainerLink(client, containerId, record);
	return withFirst({ containerId, link }, record);
}

/** As withLink, for a request for files. */
export async function withRequestLink(client: Client, requestId: string, record: IDataObject) {
	const { url } = readRecord('request', record).fields;
	const link = isGivenUrl(url) ? url : await fillTemplate(client, { requestId });
	return withFirst({ requestId, link }, record);
}

/**
 * Where a recipient opens a container: its `url`; else what the credential says; else what the service says of all
 * (getMe). Null where nobody does, or the service can't be asked: a link is never a reason to fail.
 */
export async function findContainerLink(
	client: Client,
	containerId: string,
	record: IDataObject,
): Promise<string | null> {
	const { url } = readRecord('container', record).fields;
	return isGivenUrl(url) ? url : await fillTemplate(client, { containerId });
}

async function fillTemplate(client: Client, ids: { containerId: string } | { requestId: string }) {
	const [[name, id]] = Object.entries(ids);
	const template = await findTemplate(client, name);
	if (!template.includes(`{${name}}`)) return null;
	return template.replaceAll(`{${name}}`, () => encodeURIComponent(id));
}

async function findTemplate(client: Client, name: string): Promise<string> {
	const ofCredential = name === 'containerId' ? client.connection.containerUrl : '';
	if (ofCredential !== '') return ofCredential;
	const user = await client.getCurrentUser().catch(() => undefined);
	return (name === 'containerId' ? user?.containerUrl : user?.requestUrl) ?? '';
}

function isGivenUrl(url: unknown): url is string {
	return typeof url === 'string' && url !== '';
}
