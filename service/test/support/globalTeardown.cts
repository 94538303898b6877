import { stopServers } from './globalSetup.cts';

export default stopServers;
