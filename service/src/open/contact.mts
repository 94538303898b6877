import { linkAddress, linkTo, type Markup } from '../brand/markup.mts';
import type { Site } from '../brand/site.mts';
import type { UserRow } from '../database/schema.mts';

export type Owner = Pick<UserRow, 'email' | 'disabled_date'>;

/** Whether somebody reads what is sent to the owner. */
export const isThere = ({ disabled_date }: Owner) => disabled_date === null;

/** Whom to ask: for an owner who is disabled, the company answers, if it says where. */
export function findContact({ name, links }: Site, owner: Owner): Markup {
	const asksCompany = !isThere(owner) && links.help !== undefined;
	return asksCompany ? linkTo(links.help!, name) : linkAddress(owner.email);
}
