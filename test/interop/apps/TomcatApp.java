import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.Part;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;

/** Tomcat and its own parser of forms. */
public class TomcatApp extends HttpServlet {
	private static final String CONTAINER = "{\"uuid\":\"c-1\",\"name\":\"One\"}";

	public static void main(String[] args) throws Exception {
		Tomcat tomcat = new Tomcat();
		tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
		tomcat.setPort(Integer.parseInt(System.getenv("PORT")));
		tomcat.getConnector().setProperty("address", "127.0.0.1");
		Context context = tomcat.addContext("", new File(".").getAbsolutePath());
		Wrapper servlet = Tomcat.addServlet(context, "service", new TomcatApp());
		servlet.setMultipartConfigElement(new MultipartConfigElement("", -1, -1, 1 << 20));
		context.addServletMappingDecoded("/*", "service");
		tomcat.start();
		tomcat.getServer().await();
	}

	@Override
	protected void service(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		String method = request.getMethod();
		String path = request.getPathInfo().substring("/api/v1".length());
		Files.writeString(Path.of(System.getenv("REQUESTS")), method + " " + path + "\n",
				StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		if (path.equals("/me")) {
			respond(response, 200, "{\"id\":\"u-1\",\"email\":\"owner@example.com\"}");
		} else if (method.equals("POST")) {
			encode(request, response);
		} else if (method.equals("PATCH")) {
			String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			String email = path.substring(path.lastIndexOf('/') + 1);
			respond(response, 200, "{\"email\":" + quote(email) + "," + body.substring(1));
		} else if (method.equals("DELETE")) {
			response.setStatus(204);
		} else {
			boolean isList = path.equals("/users/u-1/containers");
			respond(response, 200, isList ? "[" + CONTAINER + "]" : CONTAINER);
		}
	}

	private void encode(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		String manifest = "";
		List<String> files = new ArrayList<>();
		for (Part part : request.getParts()) {
			byte[] content = part.getInputStream().readAllBytes();
			if (part.getName().equals("manifest.json")) {
				manifest = new String(content, StandardCharsets.UTF_8);
			} else if (part.getName().equals("file")) {
				files.add("{\"name\":" + quote(part.getSubmittedFileName())
						+ ",\"type\":" + quote(part.getContentType())
						+ ",\"size\":" + content.length + ",\"sha256\":" + quote(digest(content)) + "}");
			}
		}
		Matcher name = Pattern.compile("\"name\":(\"(?:[^\"\\\\]|\\\\.)*\")").matcher(manifest);
		if (!name.find()) throw new ServletException("The manifest has no name");
		if (name.group(1).equals("\"Refused\"")) {
			respond(response, 422, "{\"error\":{\"message\":\"The container was refused\"}}");
			return;
		}
		respond(response, 201, "{\"container\":{\"uuid\":\"c-1\",\"name\":" + name.group(1)
				+ "},\"received\":{\"manifest\":" + quote(manifest)
				+ ",\"files\":[" + String.join(",", files) + "]}}");
	}

	private static void respond(HttpServletResponse response, int status, String json)
			throws IOException {
		response.setStatus(status);
		response.setContentType("application/json;charset=UTF-8");
		response.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
	}

	private static String digest(byte[] content) throws ServletException {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
		} catch (java.security.NoSuchAlgorithmException error) {
			throw new ServletException(error);
		}
	}

	private static String quote(String text) {
		StringBuilder quoted = new StringBuilder("\"");
		for (char character : text.toCharArray()) {
			if (character == '"' || character == '\\') quoted.append('\\').append(character);
			else if (character < ' ') quoted.append(String.format("\\u%04x", (int) character));
			else quoted.append(character);
		}
		return quoted.append('"').toString();
	}
}
