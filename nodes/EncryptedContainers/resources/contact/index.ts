import { resource } from '../defineResource';
import * as del from './delete.operation';
import * as get from './get.operation';
import * as getAll from './getAll.operation';
import * as upsert from './upsert.operation';

export const contact = resource({
	name: 'Contact',
	value: 'contact',
	operations: [upsert, del, get, getAll],
	preselected: getAll,
});
