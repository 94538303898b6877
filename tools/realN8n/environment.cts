import { delimiter, dirname, join } from 'node:path';
import { inheritedEnvironment } from '../inheritedEnvironment.cts';
import type { InstalledN8n } from './installN8n.cts';

type BinaryDataMode = 'filesystem' | 'default' | 'database';

export interface EnvironmentOptions {
	/** Where n8n creates its `.n8n` folder. */
	userFolder: string;
	/** The folder that nodes can read and write. */
	files: string;
	/** Where n8n keeps binary data: n8n 2 has no `default` (in memory), n8n 1 no `database`. */
	binaryDataMode?: BinaryDataMode;
	/** PEM file of a certificate authority to trust in addition to the public ones. */
	caPath?: string;
	timezone?: string;
	/** Overrides for the environment variables below. */
	env?: Record<string, string>;
}

/** Returns all environment variables of an n8n process. */
export function createN8nEnvironment(
	installed: InstalledN8n,
	options: EnvironmentOptions,
): Record<string, string> {
	const { userFolder, files } = options;
	const temporary = join(userFolder, 'tmp');
	return {
		...inheritedEnvironment(),
		PATH: [dirname(installed.node), process.env.PATH].join(delimiter),
		HOME: userFolder,
		TMPDIR: temporary,
		TEMP: temporary,
		LANG: 'C.UTF-8',
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'a key for folders that exist for one run',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		N8N_LOG_LEVEL: 'info',
		N8N_LOG_OUTPUT: 'console',
		NO_COLOR: '1',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		N8N_RESTRICT_FILE_ACCESS_TO: files,
		N8N_DEFAULT_BINARY_DATA_MODE: options.binaryDataMode ?? 'filesystem',
		N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
		GENERIC_TIMEZONE: options.timezone ?? 'UTC',
		...(options.caPath === undefined ? {} : { NODE_EXTRA_CA_CERTS: options.caPath }),
		...installed.version.env,
		...options.env,
	};
}
