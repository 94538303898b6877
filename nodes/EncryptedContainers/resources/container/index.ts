import type { Resource } from '../defineResource';
import { deleteContainer } from './delete.operation';
import { encodeFiles } from './encode/encode.operation';
import { getContainer } from './get.operation';
import { getActivity } from './getActivity.operation';
import { getContainers } from './getAll.operation';
import { getEnvelope } from './getEnvelope.operation';

export const container: Resource = {
	name: 'Container',
	value: 'container',
	operations: [deleteContainer, encodeFiles, getContainer, getActivity, getEnvelope, getContainers],
	defaultOperation: encodeFiles,
};
