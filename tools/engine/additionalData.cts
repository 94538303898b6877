import './environment.cts';
import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import { container } from './container.cts';
import type {
	ICredentialsHelper,
	INodeParameters,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';

const unavailable = async (): Promise<never> => {
	throw new Error('Not available in the tests of the engine');
};

/**
 * What n8n passes to every execution beside the workflow. The URLs must be valid, because the
 * engine builds links from them for each expression.
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
	return {
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
		executeWorkflow: unavailable,
		getRunExecutionData: unavailable,
		getRuntimeCredential: unavailable,
		startRunnerTask: unavailable,
		restApiUrl: `${origin}/rest`,
		instanceBaseUrl: `${origin}/`,
		formBaseUrl: `${origin}/form`,
		formWaitingBaseUrl: `${origin}/form-waiting`,
		formTestBaseUrl: `${origin}/form-test`,
		webhookBaseUrl: `${origin}/webhook`,
		webhookWaitingBaseUrl: `${origin}/webhook-waiting`,
		webhookTestBaseUrl: `${origin}/webhook-test`,
		mcpBaseUrl: `${origin}/mcp`,
		mcpTestBaseUrl: `${origin}/mcp-test`,
	};
}
