import { resource } from '../defineResource';
import * as del from './delete.operation';
import * as encode from './encode/encode.operation';
import * as get from './get.operation';
import * as getAll from './getAll.operation';
import * as getEnvelope from './getEnvelope.operation';

export const container = resource({
	name: 'Container',
	value: 'container',
	operations: [del, encode, get, getEnvelope, getAll],
	preselected: encode,
});
