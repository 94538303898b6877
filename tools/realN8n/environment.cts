import { dirname, join } from 'node:path';
import type { InstalledN8n } from './install.cts';

export type BinaryDataMode = 'filesystem' | 'default' | 'database';

export interface EnvironmentOptions {
	/** Where n8n makes its `.n8n` folder. */
	userFolder: string;
	/** Folders whose files its nodes may read and write. */
	fileFolders: string[];
	/** Where the files of items are kept: n8n 2 has no `default` (in memory), n8n 1 no `database`. */
	binaryDataMode?: BinaryDataMode;
	/** PEM file of a certificate authority to trust beside the public ones. */
	caPath?: string;
	timezone?: string;
	/** More settings, or other values for those made here. */
	env?: Record<string, string>;
}

/**
 * The whole environment of an n8n process. Nothing is inherited but the search path, so that no
 * setting of the machine changes what happens.
 */
export function n8nEnvironment(
	installed: InstalledN8n,
	options: EnvironmentOptions,
): Record<string, string> {
	const { userFolder, fileFolders } = options;
	return {
		PATH: `${dirname(installed.node)}:${process.env.PATH ?? '/usr/bin:/bin'}`,
		HOME: userFolder,
		TMPDIR: join(userFolder, 'tmp'),
		LANG: 'C.UTF-8',
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'a key for folders that live as long as one run',
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
		N8N_RESTRICT_FILE_ACCESS_TO: fileFolders.join(';'),
		N8N_DEFAULT_BINARY_DATA_MODE: options.binaryDataMode ?? 'filesystem',
		N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
		GENERIC_TIMEZONE: options.timezone ?? 'UTC',
		...(options.caPath === undefined ? {} : { NODE_EXTRA_CA_CERTS: options.caPath }),
		...installed.version.env,
		...options.env,
	};
}
