import { resource } from '../defineResource';
import * as get from './get.operation';
import * as revoke from './revoke.operation';
import * as update from './update.operation';

export const drm = resource({
	name: 'DRM',
	value: 'drm',
	operations: [get, revoke, update],
	preselected: get,
});
