import { ServiceError } from '../errors.mts';
import { problemPage } from './pages.mts';

export const pageError = (statusCode: number, page: string) =>
	new ServiceError(statusCode, 'page', 'A page says why', { page });

export const failure = (statusCode: number, title: string, sentence: string) =>
	pageError(statusCode, problemPage({ title, sentence }));

export const missing = () =>
	failure(404, 'Container not found', "This container doesn't exist any more.");
