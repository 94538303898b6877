import './n8nEnvironment.cts';
import { createRequire } from 'node:module';
import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import type {
	ICredentialsHelper,
	INodeParameters,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** Loads what n8n-core depends on, in its version. */
const requireOfCore = createRequire(require.resolve('n8n-core'));

interface ServiceContainer {
	get<T>(type: abstract new (...values: never[]) => T): T;
	set<T>(type: abstract new (...values: never[]) => T, instance: T): void;
}

interface EngineLogger {
	setInternalLogger(logger: unknown): void;
}

/** The service container and the logger of the engine. Another copy of n8n's packages has none of its services. */
export const { Container: container } = requireOfCore('@n8n/di') as { Container: ServiceContainer };
export const { Logger } = requireOfCore('@n8n/backend-common') as {
	Logger: abstract new (...values: never[]) => EngineLogger;
};

/**
 * What the engine uses of all that n8n passes to an execution beside the workflow. The URLs must be valid, because it
 * builds links from them for each expression.
 */
export function additionalDataFor(options: {
	credentialsHelper: ICredentialsHelper;
	executionId: string;
	mode: WorkflowExecuteMode;
	workflow: Pick<IWorkflowBase, 'id' | 'nodes' | 'connections'>;
	settings?: IWorkflowSettings;
	currentNodeParameters?: INodeParameters;
}): IWorkflowExecuteAdditionalData {
	const { credentialsHelper, executionId, mode, workflow, settings } = options;
	const origin = 'http://localhost:5678';
	const workflowData: IWorkflowBase = {
		name: 'Test',
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
		settings,
		...workflow,
	};
	const additionalData: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper,
		executionId,
		workflowId: workflow.id,
		hooks: new ExecutionLifecycleHooks(mode, executionId, workflowData),
		currentNodeExecutionIndex: 0,
		currentNodeParameters: options.currentNodeParameters,
		workflowSettings: settings,
		variables: {},
		externalSecretsProxy: container.get(ExternalSecretsProxy),
		setExecutionStatus: () => undefined,
		logAiEvent: () => undefined,
		restApiUrl: `${origin}/rest`,
		instanceBaseUrl: `${origin}/`,
		formWaitingBaseUrl: `${origin}/form-waiting`,
		webhookWaitingBaseUrl: `${origin}/webhook-waiting`,
	};
	return additionalData as IWorkflowExecuteAdditionalData;
}
