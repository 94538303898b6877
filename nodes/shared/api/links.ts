import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../client/client';
import { readRecord, withContainerId } from './records';

/** A record with the ID of its container and the link to it at the top, in place of any `containerId` or `link` of its own. */
export async function withLink(client: Client, containerId: string, record: IDataObject) {
	const link = await findContainerLink(client, containerId, record);
	return { ...withContainerId(containerId, { link, ...record }), link };
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
	if (typeof url === 'string' && url !== '') return url;
	const template = client.connection.containerUrl || (await fetchTemplate(client));
	if (!template.includes('{containerId}')) return null;
	return template.replaceAll('{containerId}', () => encodeURIComponent(containerId));
}

async function fetchTemplate(client: Client): Promise<string> {
	const { containerUrl = '' } = await client.getCurrentUser().catch(() => ({ containerUrl: '' }));
	return containerUrl;
}
