// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/cgroup.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "sys/files.h"
#include "sys/memory.h"
#include "sys/scanner.h"
#include "sys/text_sink.h"

namespace xomp::sys {
namespace {

using std::string_view;

constexpr std::size_t kPathBytes = 1024; ///< a longer path is as good as none

/// On the heap: the thread that first uses OpenMP may have a small stack.
struct Path {
  Path() = default;
  ~Path() { release(text); }
  Path(const Path&) = delete;

  char* const text = static_cast<char*>(allocate(kPathBytes));
};

/// `first` and `second` together; false when they do not fit.
bool join(Path& to, string_view first, string_view second) {
  TextSink sink(to.text, kPathBytes);
  sink.put(first);
  sink.put(second);
  sink.terminate();
  return sink.length() < kPathBytes;
}

/// The lines of a file, each ended by 0.
class Lines {
public:
  Lines(const char* root, const char* path) {
    Path whole;
    std::size_t length;
    if (join(whole, root, path))
      text = rest = read_whole(whole.text, length);
  }
  ~Lines() { release(text); }
  Lines(const Lines&) = delete;

  /// The next line; null behind the last.
  char* next() {
    if (!rest || !*rest)
      return nullptr;
    char* line = rest;
    rest = std::strchr(line, '\n');
    if (rest)
      *rest++ = '\0';
    return line;
  }

private:
  char *text = nullptr, *rest = nullptr;
};

/// Takes what is before the next `end` off the text.
string_view take_until(string_view& text, char end) {
  std::size_t at = std::min(text.find(end), text.size());
  string_view taken(text.begin(), text.begin() + at); // substr needs the C++ library
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

bool lists(string_view names, string_view name) {
  while (!names.empty())
    if (take_until(names, ',') == name)
      return true;
  return false;
}

/// The process's group in the hierarchy that controls processor time: its version and its path
/// below that hierarchy's own root.
struct Group {
  int version = 0; ///< 0: none
  Path path;
};

/// /proc/self/cgroup has lines NUMBER:CONTROLLERS:PATH; version 2 is the one with number 0. Where
/// version 1 has the controller, version 2 has not.
void find_group(const char* root, Group& group) {
  Lines lines(root, "/proc/self/cgroup");
  while (const char* line = lines.next()) {
    string_view text = line;
    string_view number = take_until(text, ':'), controllers = take_until(text, ':');
    bool first = lists(controllers, "cpu");
    if (!first && (group.version || number != "0" || !controllers.empty()))
      continue;
    if (join(group.path, text, ""))
      group.version = first ? 1 : 2;
  }
}

/// mountinfo writes blanks, tabs, line ends and backslashes as \ and three octal digits.
void unescape(char* text) {
  char* to = text;
  auto octal = [](char c) { return c >= '0' && c <= '7'; };
  for (const char* from = text; *from; ++to) {
    if (from[0] == '\\' && octal(from[1]) && octal(from[2]) && octal(from[3])) {
      *to = static_cast<char>((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 4;
    } else {
      *to = *from++;
    }
  }
  *to = '\0';
}

/// Where a hierarchy is mounted, and which of its groups is seen there.
struct Mount {
  Path shown, point;
};

/// The usual place, if the process's group is there: a look that spares every start of a program
/// the list of all mounts, which the kernel takes long to write. Every group has the file.
bool at_usual_place(const char* root, const Group& group, Mount& mount) {
  const char* point = group.version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
  Path folder, file, whole;
  return join(mount.shown, "/", "") && join(mount.point, point, "") &&
         join(folder, point, group.path.text) && join(file, folder.text, "/cgroup.procs") &&
         join(whole, root, file.text) && access(whole.text, F_OK) == 0;
}

/// A line of mountinfo: ID PARENT DEVICE SHOWN POINT OPTIONS [MORE]... - TYPE SOURCE OPTIONS.
bool find_mount(const char* root, int version, Mount& mount) {
  Lines lines(root, "/proc/self/mountinfo");
  while (const char* line = lines.next()) {
    string_view text = line;
    std::size_t dash = text.find(" - cgroup");
    if (dash == text.npos)
      continue;
    string_view kind(text.begin() + dash + 3, text.end());
    string_view type = take_until(kind, ' ');
    take_until(kind, ' ');
    if (version == 2 ? type != "cgroup2" : type != "cgroup" || !lists(kind, "cpu"))
      continue;
    for (int i = 0; i < 3; ++i)
      take_until(text, ' ');
    string_view shown = take_until(text, ' '), point = take_until(text, ' ');
    if (!join(mount.shown, shown, "") || !join(mount.point, point, ""))
      continue;
    unescape(mount.shown.text);
    unescape(mount.point.text);
    return true;
  }
  return false;
}

/// `whole` below `above`: "/a/b" below "/a" is "/b", below "/" it is "/a/b". Null: it is not.
const char* below(const char* whole, const char* above) {
  std::size_t length = std::strlen(above);
  while (length > 0 && above[length - 1] == '/')
    --length;
  if (std::strncmp(whole, above, length) != 0)
    return nullptr;
  const char* rest = whole + length;
  return *rest == '/' || *rest == '\0' ? rest : nullptr;
}

/// The numbers at the beginning of a file, as many as are there; "max" and -1 are none.
int read_numbers(const char* root, const char* folder, const char* file, uint64_t numbers[2]) {
  Path path;
  if (!join(path, folder, file))
    return 0;
  Lines lines(root, path.text);
  const char* line = lines.next();
  if (!line)
    return 0;
  Scanner scan(line);
  int count = 0;
  while (count < 2 && scan.take_number(numbers[count]))
    ++count;
  return count;
}

/// Of one group alone; 0: no limit.
int quota_of(const char* root, int version, const char* folder) {
  uint64_t numbers[2];
  uint64_t &quota = numbers[0], &period = numbers[1];
  if (version == 2) {
    if (read_numbers(root, folder, "/cpu.max", numbers) != 2)
      return 0;
  } else {
    if (read_numbers(root, folder, "/cpu.cfs_period_us", &period) < 1 ||
        read_numbers(root, folder, "/cpu.cfs_quota_us", &quota) < 1)
      return 0;
  }
  if (quota == 0 || period == 0)
    return 0;
  uint64_t whole = (quota - 1) / period + 1;
  return static_cast<int>(std::min<uint64_t>(whole, INT_MAX));
}

/// Of the group and all groups around it, up to where `folder` has only `top` characters left.
int smallest_quota(const char* root, int version, char* folder, std::size_t top) {
  int smallest = 0;
  for (;;) {
    int quota = quota_of(root, version, folder);
    if (quota && (!smallest || quota < smallest))
      smallest = quota;
    char* last = std::strrchr(folder, '/');
    if (!last || last < folder + top)
      return smallest;
    *last = '\0';
  }
}

int quota_below(const char* root, const Group& group, const Mount& mount) {
  // A group that is not below the one that is mounted, as in some containers: that one is the best
  // that can be seen.
  const char* rest = below(group.path.text, mount.shown.text);
  if (!rest || std::strstr(rest, "/.."))
    rest = "";
  Path folder;
  if (!join(folder, mount.point.text, rest))
    return 0;
  return smallest_quota(root, group.version, folder.text, std::strlen(mount.point.text));
}

} // namespace

int cgroup_quota(const char* root) {
  int saved = errno; // of the program that is being started
  Group group;
  Mount mount;
  find_group(root, group);
  bool found = group.version &&
               (at_usual_place(root, group, mount) || find_mount(root, group.version, mount));
  int quota = found ? quota_below(root, group, mount) : 0;
  errno = saved;
  return quota;
}

} // namespace xomp::sys
