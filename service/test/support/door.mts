import * as recipient from './recipient.cts';
import type { Container } from './api.mts';
import type { Service } from './service.mts';

export { receiveCode, startMailServer, type DoorResponse } from './recipient.cts';

/** How long a mail that nobody should get would have taken, several times over. */
export const MAIL_TIME_MS = 500;

/** All mails that a service has sent, oldest first. */
export const readMails = ({ outbox }: Pick<Service, 'outbox'>) => recipient.readMails(outbox);

/** Who stands before the door. @param ip the address that the visitor comes from; the service must trust the proxy */
export function visit(
	{ origin, outbox, api }: Service,
	{ uuid }: Pick<Container, 'uuid'>,
	ip?: string,
) {
	const { dispatcher } = api;
	return recipient.createVisitor({ url: `${origin}/c/${uuid}`, mails: outbox, dispatcher, ip });
}
