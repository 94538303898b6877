import type { Resource } from '../defineResource';
import { deleteContainer } from './delete.operation';
import { encodeFiles } from './encode/encode.operation';
import { getContainer } from './get.operation';
import { getContainers } from './getAll.operation';
import { getEnvelope } from './getEnvelope.operation';

export const container: Resource = {
	name: 'Container',
	value: 'container',
	operations: [deleteContainer, encodeFiles, getContainer, getEnvelope, getContainers],
	defaultOperation: encodeFiles,
};
