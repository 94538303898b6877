import { ServiceError } from '../errors.mts';
import { problemPage } from './pages.mts';

export const pageError = (statusCode: number, page: string) =>
	new ServiceError(statusCode, 'page', 'A page says why', { page });

/** For whoever tried too often: the page says when to come again, and so does the header Retry-After. */
export const tooManyError = (page: string, waitMs: number) =>
	new ServiceError(429, 'page', 'A page says why', { page, retryAfter: Math.ceil(waitMs / 1000) });

export const failure = (statusCode: number, title: string, sentence: string) =>
	pageError(statusCode, problemPage({ title, sentence }));

export const missing = () =>
	failure(404, 'Container not found', "This container doesn't exist any more.");
