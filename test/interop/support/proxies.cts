import { join } from 'node:path';

/** A reverse proxy that nobody here wrote, in front of the sandbox service. */
export interface Proxy {
	name: string;
	/** Debian's packages, for a machine that lacks it. */
	packages: string[];
	/** Programs and files without which it can't run. */
	needs: string[];
	/** Whether it speaks TLS itself, to clients and to the service. */
	hasTls: boolean;
	/** A contact whose path its rules take for an attack. */
	refusedEmail?: string;
	/** Its configuration; it refuses bodies above `MAX_BODY` and waits `TIMEOUT` seconds for the service. */
	configure: (ports: { port: number; service: number; folder: string }) => string;
	start: (file: string, folder: string, port: number) => { command: string; args: string[] };
}

/** In bytes: what a proxy refuses, and the seconds that it waits for the service. */
export const MAX_BODY = 8_000_000;
const TIMEOUT = 2;

const modules = '/usr/lib/apache2/modules';
const coreRules = '/usr/share/modsecurity-crs';

export const proxies: Proxy[] = [
	{
		name: 'nginx',
		packages: ['nginx'],
		needs: ['nginx'],
		hasTls: true,
		configure: ({ port, service, folder }) => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
	access_log off;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	server {
		listen 127.0.0.1:${port} ssl;
		ssl_certificate ${folder}/cert.pem;
		ssl_certificate_key ${folder}/key.pem;
		client_max_body_size ${MAX_BODY};
		location / {
			proxy_pass https://127.0.0.1:${service};
			proxy_read_timeout ${TIMEOUT}s;
			proxy_next_upstream off;
		}
	}
}
`,
		start: (file, folder) => ({ command: 'nginx', args: ['-c', file, '-p', folder] }),
	},
	{
		name: 'HAProxy',
		packages: ['haproxy'],
		needs: ['haproxy'],
		hasTls: true,
		configure: ({ port, service, folder }) => `
defaults
	mode http
	timeout connect ${TIMEOUT}s
	timeout client 60s
	timeout server ${TIMEOUT}s
frontend clients
	bind 127.0.0.1:${port} ssl crt ${folder}/both.pem
	http-request deny deny_status 413 if { req.hdr_val(content-length) gt ${MAX_BODY} }
	default_backend service
backend service
	retries 0
	server sandbox 127.0.0.1:${service} ssl verify none
`,
		start: (file) => ({ command: 'haproxy', args: ['-db', '-f', file] }),
	},
	{
		name: 'Apache with ModSecurity',
		packages: ['apache2', 'libapache2-mod-security2', 'modsecurity-crs'],
		needs: ['apache2', join(modules, 'mod_security2.so'), coreRules],
		hasTls: true,
		// OWASP's rules refuse paths that end in .com, as they do with the file extension.
		refusedEmail: 'zoe@example.com',
		configure: ({ port, service, folder }) => `
${[
	'mpm_event',
	'authz_core',
	'proxy',
	'proxy_http',
	'ssl',
	'socache_shmcb',
	'unique_id',
	'security2',
]
	.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
	.join('\n')}
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
Mutex file:${folder}
User www-data
Group www-data
Listen 127.0.0.1:${port}
SSLEngine on
SSLCertificateFile ${folder}/cert.pem
SSLCertificateKeyFile ${folder}/key.pem
SSLProxyEngine on
SSLProxyVerify none
SSLProxyCheckPeerName off
SSLProxyCheckPeerCN off
ProxyTimeout ${TIMEOUT}
ProxyPass / https://127.0.0.1:${service}/ retry=0

SecRuleEngine On
SecRequestBodyAccess On
SecRequestBodyLimit ${MAX_BODY}
SecRequestBodyNoFilesLimit 1000000
SecTmpDir ${folder}
SecDataDir ${folder}
SecRule REQUEST_HEADERS:Content-Type "^application/json" "id:200001,phase:1,t:none,t:lowercase,pass,nolog,ctl:requestBodyProcessor=JSON"
SecDefaultAction "phase:1,log,auditlog,deny,status:403"
SecDefaultAction "phase:2,log,auditlog,deny,status:403"
SecAction "id:900200,phase:1,nolog,pass,t:none,setvar:'tx.allowed_methods=GET POST PATCH DELETE'"
SecAction "id:900990,phase:1,nolog,pass,t:none,setvar:tx.crs_setup_version=334"
Include ${coreRules}/rules/*.conf
`,
		start: (file) => ({ command: 'apache2', args: ['-X', '-f', file] }),
	},
	{
		name: 'Caddy',
		packages: ['caddy'],
		needs: ['caddy'],
		hasTls: true,
		configure: ({ port, service, folder }) => `
{
	admin off
	auto_https off
	storage file_system ${folder}
}
https://localhost:${port} {
	bind 127.0.0.1
	tls ${folder}/cert.pem ${folder}/key.pem
	request_body {
		max_size ${MAX_BODY}
	}
	reverse_proxy https://127.0.0.1:${service} {
		transport http {
			tls_insecure_skip_verify
			response_header_timeout ${TIMEOUT}s
		}
	}
}
`,
		start: (file) => ({
			command: 'caddy',
			args: ['run', '--adapter', 'caddyfile', '--config', file],
		}),
	},
	{
		name: 'Varnish',
		packages: ['varnish'],
		needs: ['varnishd'],
		hasTls: false,
		configure: ({ service }) => `
vcl 4.1;
import std;
backend default {
	.host = "127.0.0.1";
	.port = "${service}";
	.first_byte_timeout = ${TIMEOUT}s;
}
sub vcl_recv {
	if (std.integer(req.http.Content-Length, 0) > ${MAX_BODY}) {
		return (synth(413));
	}
	return (pass);
}
`,
		start: (file, folder, port) => ({
			command: 'varnishd',
			args: ['-F', '-j', 'none', '-f', file, '-n', folder, '-a', `127.0.0.1:${port}`],
		}),
	},
];
